#!/bin/sh
# installed_documents.sh SOURCE: Debian's package has documents and examples; all links between them lead to something
# that is installed, and those that cannot are words.
set -eu
cd "$1"
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
# As dh_installdocs and dh_installexamples put them: each line's last part, folders whole.
mkdir -p "$TMP/tacho/examples"
while read -r line; do cp -R "$line" "$TMP/tacho"; done <debian/tacho.docs
for pattern in $(cat debian/tacho.examples); do cp -R $pattern "$TMP/tacho/examples"; done
! python3 debian/documents --check "$TMP/tacho" >"$TMP/before" || { echo 'failed: no link of the source leads beyond what is installed'; exit 1; }
python3 debian/documents "$TMP/tacho" >/dev/null
python3 debian/documents --check "$TMP/tacho"
grep -q '\](doc/LIBRARY.md)' "$TMP/tacho/README.md" || { echo 'failed: a link that leads to a document is gone'; exit 1; }
