// start.js - the last of the scripts, when all of them are known.
startFrame();
start();
document.documentElement.dataset.ready = "yes";
