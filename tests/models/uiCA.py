#!/bin/sh
# A stand-in for uiCA.py: as many cycles as the file has bytes.
[ $# = 4 ] && [ "$2 $3 $4" = '-raw -arch ICL' ] || {
    echo "uiCA.py: error: unexpected arguments: $*" >&2
    exit 2
}
printf 'Throughput (in cycles per iteration): %d.25\nBottlenecks: Issue, Ports\n\n' "$(wc -c <"$1")"
echo 'The following throughputs could be achieved if the given property were the only bottleneck:'
