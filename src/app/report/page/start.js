// start.js - the last of the scripts, when all of them are known.
start();
