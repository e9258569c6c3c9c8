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
for page in $(documents | sed 's,^README\.md$,about.md,; s,^doc/README.md,index.md,; s/README\.md$/index.md/; s/\.md$/.html/') \
    man/tacho-hot.1.html; do
    [ -s "$TMP/site/$page" ] || fail "no page $page"
done
python3 tests/cli/site_links.py "$TMP/site" || fail 'links of the site lead to nothing'
grep -q 'href="tacho-predict.1.html"' "$TMP/site/man/tacho-hot.1.html" || fail 'tacho-hot(1) does not lead to tacho-predict(1)'
page=doc/tutorials/from-llvm-mca.html
grep -q 'href="../../man/tacho-predict.1.html"' "$TMP/site/$page" || fail "$page does not lead to tacho-predict(1)"
grep -q 'store forwarding' "$TMP/site/search/search_index.json" || fail 'nothing to search'
# What a stranger asks, and where the answer is.
d=doc
ask() {
    printf '%s\t%s\n' \
        'which of my two loops is better' $d/tutorials/which-loop-is-better.html \
        'compare two loops' $d/tutorials/which-loop-is-better.html \
        'µop' $d/GLOSSARY.html \
        --noalias man/tacho-predict.1.html,$d/howto/memory-dependencies.html \
        issue $d/explain/pipeline.html,$d/GLOSSARY.html \
        "what does 'issue' mean here" $d/explain/pipeline.html,$d/GLOSSARY.html \
        bottleneck $d/GLOSSARY.html \
        'add my predictor' $d/HOWTO-add-a-predictor.html \
        'how exact is zen 4' $d/ACCURACY.html \
        'zen 4 accuracy' $d/evaluation/zen4.html,$d/ACCURACY.html \
        'exit status' $d/RUNNING.html \
        'without counters' $d/howto/measure-without-counters.html,$d/MEASURING.html \
        'json python' $d/howto/json-in-python.html \
        alignment $d/howto/alignment.html \
        'cluster slurm' $d/howto/many-machines.html \
        install about.html \
        'install--' about.html
}
if command -v node >/dev/null 2>&1; then
    ask | node tests/cli/site_search.js "$TMP/site" || fail 'the search leads elsewhere'
fi
[ "$failures" = 0 ]
