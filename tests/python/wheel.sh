# wheel.sh SOURCE: pip makes a wheel of a copy of the source, for any Python since 3.11, and it predicts when installed.
set -eu
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import cffi, mesonpy, pip' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "skipped: no Python with cffi, meson-python and pip"
    exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/source"
(cd "$1" && tar cf - --exclude=./build* --exclude=./.git .) | tar xf - -C "$dir/source"
"$python" -m pip wheel -q --no-build-isolation --no-deps --no-index -w "$dir" "$dir/source"
ls "$dir"/tacho-*-cp311-abi3-linux_x86_64.whl
"$python" -m pip install -q --no-deps --no-index --target "$dir/installed" "$dir"/tacho-*.whl
cd "$dir"
got=$(PYTHONPATH=$dir/installed "$python" -c 'import tacho; print(tacho.predict(bytes.fromhex("480fafc3"), "SKL").cycles)')
[ "$got" = 3.0 ] || { echo "predicted $got, not 3.0"; exit 1; }
