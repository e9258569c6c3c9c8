#!/bin/sh
# summary.sh TESTLOG: what Meson's log of a test run does not say in one place: which tests were skipped, which parts of
# the others were left out, and why; which were tried again; last, in one line, how many passed, failed and were skipped.
#
# Tests say it in lines of their output: "skipped: WHY", and "again: WHAT" where an attempt has failed and another
# follows.
set -eu
awk '
    function add(list, line) { if (!((name, line) in seen)) { seen[name, line]; return list sprintf("  %-20s %s\n", name, line) } return list }
    function finish() {
        if (name == "") return
        if (result == 77 && reasons == "") skips = skips sprintf("  %-20s %s\n", name, "(it does not say why, which is an error of the test)")
        else if (result == 77) skips = skips reasons
        else parts = parts reasons
        if (attempts) tries = tries sprintf("  %-20s %d %s\n", name, attempts, attempts == 1 ? "time" : "times")
        name = ""
    }
    /^=+ [0-9]+\/[0-9]+ =+$/ { finish() }
    /^test: +/ { name = $NF; result = 0; reasons = ""; attempts = 0 }
    /^result: +exit status / { result = $NF }
    /^skipped: / { reasons = add(reasons, substr($0, 10)) }
    /^again: / { attempts++ }
    /not installed|ci-tools/ && /^skipped: / { tools = 1 }
    # Meson has the figures itself: those at the end, as a test that runs Meson has some in its output.
    /^(Ok|Expected Fail|Fail|Unexpected Pass|Timeout|Skipped): +[0-9]+ *$/ { key = $0; sub(/:.*/, "", key); figures[key] = $NF }
    END {
        finish()
        if (skips) printf "\nSkipped, and why:\n%s", skips
        if (parts) printf "\nParts of other tests that were left out, and why:\n%s", parts
        if (tools) print "\n./dev ci-tools installs the programs that these need."
        if (tries) printf "\nTried again, as something else used the machine:\n%s", tries
        printf "\n%d passed, %d failed, %d skipped\n", figures["Ok"] + figures["Expected Fail"], figures["Fail"] + figures["Unexpected Pass"] + figures["Timeout"], figures["Skipped"]
    }
' "$1"
