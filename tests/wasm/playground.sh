# playground.sh PROGRAM SOURCE WHY [INDEX]: the playground in Chromium.
set -eu
program=$1 source=$2 why=$3
if [ $# -lt 4 ]; then
    echo "skipped: no playground, for there is no WebAssembly module: $why"
    exit 77
fi
if ! command -v node >/dev/null 2>&1; then
    echo "skipped: no Node (Debian: apt-get install nodejs)"
    exit 77
fi
dir=$(mktemp -d)
trap 'sleep 0.3; rm -rf "$dir" || :' EXIT
for browser in chromium chromium-browser google-chrome; do
    if command -v $browser >/dev/null 2>&1; then
        node "$source/tests/wasm/playground.mjs" "$4" $browser "$program" "$dir" "$source"
        exit
    fi
done
echo "skipped: no Chromium (Debian: apt-get install chromium)"
exit 77
