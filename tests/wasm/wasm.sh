# wasm.sh PROGRAM SOURCE WHY [PACKAGE]: the npm package in Node, against the program; what npm would pack.
set -eu
program=$1 source=$2 why=$3
if [ $# -lt 4 ]; then
    echo "skipped: no WebAssembly module: $why"
    exit 77
fi
if ! command -v node >/dev/null 2>&1; then
    echo "skipped: no Node (Debian: apt-get install nodejs)"
    exit 77
fi
package=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
here=$source/tests/wasm

node "$here/package.mjs" "$package" "$program" "$source"

if command -v tsc >/dev/null 2>&1; then
    mkdir -p "$dir/types/node_modules"
    ln -s "$package" "$dir/types/node_modules/tacho"
    node "$here/types.mjs" "$package" "$source" "$dir/types"
else
    echo "types are left out: no tsc (Debian: apt-get install node-typescript)"
fi

# Blocks of the program itself, on all cores.
"$program" extract --quiet --unique "$program" -o "$dir/all.csv"
"$program" suite sample -n 40 "$dir/all.csv" -o "$dir/sample.csv" >/dev/null 2>&1
node "$here/compare.mjs" "$package" "$program" "$dir/sample.csv" all

size=$(gzip -9c "$package/tacho.wasm" | wc -c)
echo "tacho.wasm: $size bytes with gzip"
[ "$size" -le 1572864 ]

if command -v npm >/dev/null 2>&1; then
    (cd "$package" && HOME=$dir npm pack --offline --pack-destination "$dir" >"$dir/npm.txt" 2>&1) || { cat "$dir/npm.txt"; exit 1; }
    mkdir -p "$dir/user/node_modules/tacho"
    tar -xzf "$dir"/tacho-*.tgz -C "$dir/user/node_modules/tacho" --strip-components=1
    for file in LICENSE NOTICES.txt README.md package.json tacho.d.ts tacho.js tacho.wasm; do
        [ -s "$dir/user/node_modules/tacho/$file" ] || { echo "the package lacks $file"; exit 1; }
    done
    cat >"$dir/user/use.mjs" <<'JS'
import { load } from "tacho";
console.log((await load()).predict({ hex: "4801d84801c349ffcf75f5" }, "SKL").cycles);
JS
    [ "$(node "$dir/user/use.mjs")" = 2 ]
else
    echo "npm pack is left out: no npm"
fi
