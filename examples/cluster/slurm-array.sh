#!/bin/sh
#SBATCH --job-name=tacho
# slurm-array.sh submit N INPUT OUTPUT COMMAND [OPTIONS...]: a batch as a Slurm array of N tasks, and a job after it that
# joins their results.
#
#   sh slurm-array.sh submit 16 blocks.csv predictions.csv predict -a ICX
#   SBATCH_EXCLUSIVE=user sh slurm-array.sh submit 16 blocks.csv measured.csv measure --resume
#
# Run on a machine with sbatch. The parts and the tasks' messages go to the folder OUTPUT.parts, which all nodes must see.
# What the jobs need (partition, account, processors) is set as for every sbatch: SBATCH_PARTITION, SBATCH_ACCOUNT ...
set -eu

usage() {
    sed -n '3,11s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

submit() { # N INPUT OUTPUT COMMAND...
    tasks=$1 output=$3
    mkdir -p "$output.parts"
    shift
    array=$(sbatch --parsable --array="1-$tasks" --output="$output.parts/%a.log" "$0" task "$@")
    array=${array%%;*} # a cluster's name may follow
    joined=$(sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes \
        --output="$output.parts/join.log" "$0" join "$tasks" "$output")
    echo "array $array, joined by ${joined%%;*}; see $output.parts/*.log"
}

task() { # INPUT OUTPUT COMMAND...
    input=$1 output=$2
    shift 2
    # Rows that failed (status 3) are results, too.
    tacho "$@" --batch "$input" --shard auto -o "$output.parts/%s.csv" || [ $? = 3 ]
}

join() { # N OUTPUT
    tasks=$1 output=$2
    set --
    while [ $# -lt "$tasks" ]; do
        set -- "$@" "$output.parts/$(($# + 1)).csv"
    done
    tacho suite join "$@" -o "$output"
}

case ${1-} in
submit)
    [ $# -ge 5 ] || usage
    shift
    submit "$@"
    ;;
task | join)
    what=$1
    shift
    "$what" "$@"
    ;;
*) usage ;;
esac
