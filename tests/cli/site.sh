#!/bin/sh
# site.sh: the documents as a site (./dev site): each page is there, and leads to the manual pages.
set -u
. tests/cli/checks.sh
for tool in mkdocs pandoc python3; do
    command -v $tool >/dev/null 2>&1 || skip "$tool is not installed"
done
[ -d /usr/share/mkdocs/themes/material ] || skip 'mkdocs-material is not installed'
site/make "$TMP/site" >"$TMP/said" 2>&1 || fail "status $?: $(cat "$TMP/said")"
[ ! -s "$TMP/said" ] || fail "it said: $(cat "$TMP/said")"
# As site/make finds them, in a checkout and in a release's archive.
documents() {
    if [ -e .git ]; then git ls-files '*.md'; else find . -name '*.md' ! -path './build*' | sed 's,^\./,,'; fi
}
for page in $(documents | sed 's/README\.md$/index.md/; s/\.md$/.html/') man/tacho-hot.1.html; do
    [ -s "$TMP/site/$page" ] || fail "no page $page"
done
grep -q 'href="tacho-predict.1.html"' "$TMP/site/man/tacho-hot.1.html" || fail 'tacho-hot(1) does not lead to tacho-predict(1)'
page=doc/tutorials/from-llvm-mca.html
grep -q 'href="../../man/tacho-predict.1.html"' "$TMP/site/$page" || fail "$page does not lead to tacho-predict(1)"
grep -q 'store forwarding' "$TMP/site/search/search_index.json" || fail 'nothing to search'
[ "$failures" = 0 ]
