#!/bin/sh
# mpirun.sh N INPUT OUTPUT COMMAND [OPTIONS...]: a batch on N ranks, on this machine or on all that mpirun knows of.
#
#   sh mpirun.sh 8 blocks.csv predictions.csv predict -a ICX --jobs 1
#   MPIRUN='mpirun --hostfile hosts --map-by core --bind-to core' \
#       sh mpirun.sh 16 blocks.csv measured.csv measure --resume
#
# The parts go to the folder OUTPUT.parts, which all machines must see. MPIRUN may also be srun.
set -eu
[ $# -ge 4 ] || {
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
ranks=$1 input=$2 output=$3
shift 3
mkdir -p "$output.parts"

# Rows that failed (status 3) are results, too; mpirun would stop all ranks. MPIRUN is a command with its options.
# shellcheck disable=SC2016,SC2086
${MPIRUN:-mpirun} -n "$ranks" sh -c '"$@" || [ $? = 3 ]' sh \
    tacho "$@" --batch "$input" --shard auto -o "$output.parts/%s.csv"

set --
while [ $# -lt "$ranks" ]; do
    set -- "$@" "$output.parts/$(($# + 1)).csv"
done
tacho suite join "$@" -o "$output"
