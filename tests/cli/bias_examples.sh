#!/bin/sh
# bias_examples.sh FOLDER: the examples of memory layout's bias are built and swept by one command each.
set -u
examples=$1
. "$(dirname "$0")/checks.sh"
need cc gcc
need_layouts
cd "$TMP" || exit 1

status 2 'usage' "$examples/run"
status 2 'no example stack, but environment|' "$examples/run" stack
for example in environment convolution chunks; do
    status 0 '' "$examples/run" $example --metric cpu --no-why --passes 2 --step 1024 --json
    has '"schema": "tacho-bias-1"' '"rounds": 25' '"partial": false'
done
has '"link-order"' '"chunks_main.o chunks_loop.o other.o"' '"chunks_main.o other.o chunks_loop.o"'

# Causes that the addresses show, whatever the processor makes of them: in the slowest place that these programs can have.
for example in cache_sets tlb_pages; do
    status 0 '' "$examples/run" $example --factors buffers --metric cpu --passes 2 --step 2048 --quick --json
    has '"schema": "tacho-bias-1"' '"name": "buffers"'
done
status 0 '' tacho predict "$examples/aliasing.s" -a SKL
[ -z "$(find "$TMP" -mindepth 1 -type d)" ] || fail "left: $(find "$TMP" -mindepth 1 -type d)"

echo "$failures failures"
[ "$failures" = 0 ]
