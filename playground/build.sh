# build.sh OUT TEMPLATE STYLE SCRIPT WORKER KEYS TIMELINE MODULE: the playground in one file. STYLE, SCRIPT and WORKER are
# lists with commas; the module is packed and becomes text, so that the page needs no server.
set -eu
out=$1 template=$2 style=$3 script=$4 worker=$5 keys=$6 timeline=$7 module=$8
part() { # LIST
    for file in $(printf %s "$1" | tr , ' '); do
        cat "$file"
    done
}
while IFS= read -r line || [ -n "$line" ]; do
    case $line in
    *'<!--style-->'*) part "$style" ;;
    *'<!--script-->'*) part "$script" ;;
    # Files may have no workers that are modules.
    *'<!--worker-->'*) part "$worker" | sed 's/^export //; s/import\.meta\.url/self.location/' ;;
    *'<!--keys-->'*) part "$keys" ;;
    *'<!--timeline-->'*) part "$timeline" ;;
    *'<!--module-->'*) gzip -9nc "$module" | base64 -w 0 ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$template" >"$out"
