#!/bin/sh
# suite-reference.sh SOURCE_ROOT: loop variants and the filter for aliasing against what others made of the same
# blocks, where that data is at hand: in $TACHO_SHARED_DATA, or in ../shared/data beside the source.
set -u
data=${TACHO_SHARED_DATA:-$1/../shared/data} status=0
for file in reference/SNB_L.csv reference/SKL_L.csv measured/ICX_U.csv measured/ICX_L.csv; do
    if [ ! -r "$data/$file" ]; then
        echo "skipped: no $file in TACHO_SHARED_DATA or ../shared/data"
        exit 77
    fi
done
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT

# All loops of the reference come out, with the same bytes and as many copies.
for arch in SNB SKL; do
    tacho suite loops --batch "$data/reference/${arch}_U.csv" >"$TMP/loops" 2>/dev/null
    awk -F , -v arch=$arch '
        NR == FNR { unroll[$2] = $3; next }
        FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        { if (unroll[$1] == $column["unroll"]) same++; else { other++; print "differs: " $1 } }
        END { print arch ": " same + 0 " loops are the same, " other + 0 " are not"; exit !(same > 1000 && !other) }
    ' "$TMP/loops" "$data/reference/${arch}_L.csv" || status=1
done

# Those that are not unrolled, for blocks that are in both files.
tacho suite loops --no-unroll --batch "$data/measured/ICX_U.csv" >"$TMP/loops" 2>/dev/null
awk -F , '
    NR == FNR { loops[$2]; next }
    FNR > 1 { $1 in loops ? same++ : other++ }
    END { print "ICX: " same + 0 " loops are the same, " other + 0 " are of other blocks"; exit !(same >= 5228) }
' "$TMP/loops" "$data/measured/ICX_L.csv" || status=1

# What is rejected for aliasing bears the flag there; of those with the flag that are kept, each was looked at.
for mode in U L; do
    tacho suite filter --only aliasing "$data/measured/ICX_$mode.csv" --rejected "$TMP/rejected" >"$TMP/kept" \
        2>/dev/null
    awk -F , -v mode=$mode '
        NR == FNR { kept += ("|" $5 "|") ~ /\|dep\|/; next }
        FNR > 1 { if (("|" $5 "|") ~ /\|dep\|/) both++; else { ours++; print "rejected: " $1 } }
        END {
            print "ICX_" mode ": both reject " both + 0 ", only tacho " ours + 0 ", only the other " kept + 0
            exit !(both > 800 && !ours && kept <= 21)
        }
    ' "$TMP/kept" "$TMP/rejected" || status=1
done
exit $status
