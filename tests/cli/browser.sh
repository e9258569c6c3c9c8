# browser.sh: read by tests of pages: a browser without a window, and a directory of their own. Ends the test where
# there is no Chromium.
for browser in chromium chromium-browser google-chrome; do
    command -v $browser >/dev/null 2>&1 && break
    browser=
done
if [ -z "$browser" ]; then
    echo "skipped: no Chromium (Debian: apt-get install chromium)"
    exit 77
fi
. "$(dirname "$0")/checks.sh"

dom() { # PAGE [WISHES]: the document after its scripts have run
    HOME=$TMP $browser --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --user-data-dir="$TMP/profile" --window-size=1280,800 --virtual-time-budget=10000 \
        --dump-dom "file://$1${2:-}" 2>"$TMP/browser.txt"
}

act() { # ACTIONS: $TMP/acted.html, the page $TMP/page.html with a script that does what a user does
    cat "$TMP/page.html"
    printf '<script type="module">\n'
    cat "$1"
    printf '</script>\n'
} >"$TMP/acted.html"
