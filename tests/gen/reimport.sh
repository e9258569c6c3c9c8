#!/bin/sh
# reimport.sh IMPORTER DATA_DIR - the imported tables in the tree are those that the importer makes.
# Needs uops.info's figures in their neutral text form, in $TACHO_UOPS_DIR.
set -eu
if [ ! -f "${TACHO_UOPS_DIR:-}/SKL.tsv" ]; then
    echo "skipped: TACHO_UOPS_DIR does not name a folder with SKL.tsv"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/arch/SKL" "$work/arch/ICX"
"$1" "$TACHO_UOPS_DIR" "$work" SKL=SKL ICX=ICL,zmm
for file in forms.txt arch/SKL/insns.txt arch/SKL/fusion.txt arch/ICX/insns.txt arch/ICX/fusion.txt; do
    cmp "$work/$file" "$2/$file"
done
