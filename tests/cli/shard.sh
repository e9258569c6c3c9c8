#!/bin/sh
# shard.sh: the same results from one process and from several: started by the shell, by mpirun, and by the script for
# Slurm arrays, with the variables that Slurm sets.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0
wrong() {
    echo "wrong: $*"
    status=1
}
# What this test itself runs under says nothing.
for name in $(env | sed -n 's/^\(\(SLURM\|PMI\|PMIX\|OMPI\)_[A-Za-z0-9_]*\)=.*/\1/p'); do
    unset "$name"
done

# 400 generated blocks, some rows that are none, and quoted fields.
{
    echo hex,app
    awk '!/^#/ && NF { print $1 ",\"a, \"\"b\"\"\"" } NR % 50 == 0 { print "zz,x"; print "" }' tests/golden/blocks.txt
} >"$dir/blocks.csv"
[ "$(grep -c . "$dir/blocks.csv")" -ge 300 ] || { echo 'too few blocks'; exit 1; }
code=0
tacho predict --batch "$dir/blocks.csv" -a SKL,ICX,SNB >"$dir/whole.csv" 2>/dev/null || code=$?
[ $code = 3 ] || wrong "status $code of the whole batch"

# same NAME: the parts in $dir/NAME.*.csv give what one process does.
same() {
    if ! tacho suite join "$dir/$1".*.csv -o "$dir/$1.joined"; then
        wrong "$1: cannot be joined"
    elif ! cmp "$dir/whole.csv" "$dir/$1.joined"; then
        wrong "$1: not the results of one process"
    fi
}

for count in 1 2 7; do
    i=1
    while [ $i -le $count ]; do
        tacho predict --batch "$dir/blocks.csv" -a SKL,ICX,SNB --shard $i/$count --jobs 2 \
            -o "$dir/shell$count.%s.csv" 2>/dev/null &
        i=$((i + 1))
    done
    wait
    same shell$count
done

# A run that was killed leaves a part that says so.
mkfifo "$dir/pipe"
tacho predict --batch "$dir/pipe" -a SKL --shard 1/2 -o "$dir/killed.%s.csv" &
killed=$!
exec 3>"$dir/pipe"
printf '90\n9090\n909090\n' >&3
tries=0
while ! grep -qs '^909090,' "$dir/killed.1.csv"; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || { wrong 'no rows while the input is open'; break; }
    sleep 0.1
done
kill $killed
wait $killed 2>/dev/null || true
exec 3>&-
printf '90\n9090\n909090\n' | tacho predict --batch - -a SKL --shard 2/2 -o "$dir/killed.%s.csv"
tacho suite join "$dir"/killed.?.csv >/dev/null 2>"$dir/message" && wrong 'a killed run passed for a whole one'
grep -q '1.csv: was cut off' "$dir/message" || wrong "of a killed run: $(cat "$dir/message")"

# The scripts of examples/cluster.
if command -v mpirun >/dev/null && mpirun --version 2>/dev/null | grep -q 'Open MPI'; then
    # It asks before it runs as root, or more processes than processors.
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
        OMPI_MCA_btl_base_warn_component_unused=0 \
        sh examples/cluster/mpirun.sh 3 "$dir/blocks.csv" "$dir/mpirun.csv" predict -a SKL,ICX,SNB --jobs 1 >"$dir/message" 2>&1 ||
        { cat "$dir/message"; wrong 'mpirun.sh failed'; }
    cmp "$dir/whole.csv" "$dir/mpirun.csv" || wrong 'mpirun.sh: not the results of one process'
    for rank in 1 2 3; do
        [ "$(wc -l <"$dir/mpirun.csv.parts/$rank.csv")" -ge 300 ] || wrong "mpirun.sh: no part $rank"
    done
else
    echo 'skipped: mpirun, there is no Open MPI (Debian: openmpi-bin)'
fi

# What Slurm sets in the tasks of --array=1-3.
mkdir "$dir/slurm.csv.parts"
for task in 3 1 2; do
    env SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=3 \
        SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=3 SLURM_PROCID=0 SLURM_NTASKS=1 \
        sh examples/cluster/slurm-array.sh task "$dir/blocks.csv" "$dir/slurm.csv" predict -a SKL,ICX,SNB >"$dir/message" 2>&1 ||
        { cat "$dir/message"; wrong "slurm-array.sh: task $task failed"; }
done
sh examples/cluster/slurm-array.sh join 3 "$dir/slurm.csv" || wrong 'slurm-array.sh: joining failed'
cmp "$dir/whole.csv" "$dir/slurm.csv" || wrong 'slurm-array.sh: not the results of one process'
exit $status
