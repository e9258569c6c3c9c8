#!/bin/sh
# reimport.sh IMPORTER DATA_DIR - the imported tables in the tree are those that the importer makes.
# Needs uops.info's figures in their neutral text form, in $TACHO_UOPS_DIR, or in uops below $TACHO_SHARED_DATA or
# ../shared/data beside the source.
set -eu
uops=${TACHO_UOPS_DIR:-${TACHO_SHARED_DATA:-$2/../../shared/data}/uops}
if [ ! -f "$uops/SKL.tsv" ]; then
    echo "skipped: no $uops/SKL.tsv (TACHO_UOPS_DIR names another folder)"
    exit 77
fi
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" # a generator gives nothing back before it ends
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
archs='SNB=SNB IVB=IVB,own:SNB HSW=HSW BDW=BDW,own:HSW SKL=SKL KBL=KBL,own:SKL CFL=CFL,own:SKL CLX=CLX,inherit:SKL
    ICL=ICL ICX=ICL,zmm,inherit:ICL TGL=TGL,own:ICL RKL=RKL,own:ICL ADL=ADL-P,sums SPR=EMR,sums,made:ADL MTL=MTL-P,sums,carry,inherit:ADL
    GNR=MTL-P,sums,carry,as:MTL,inherit:SPR'
for core in ZEN2 ZEN3 ZEN4; do
    archs="$archs $core=$core,amd:$2/../gen/amd_classes.txt"
done
archs="$archs ZEN5=ZEN5,amd:$2/../gen/amd_classes.txt,sums,beside"
for arch in $archs; do
    mkdir -p "$work/arch/${arch%%=*}"
done
# The words are arguments.
# shellcheck disable=SC2086
"$1" "$uops" "$work" $archs
cd "$work"
for file in forms.txt arch/*/*.txt; do
    cmp "$file" "$2/$file"
done
