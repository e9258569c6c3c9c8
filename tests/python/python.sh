# python.sh SOURCE [PYTHON MODULE]: the package's tests and examples, with the extension module of this build.
set -eu
if [ $# -lt 3 ]; then
    echo "skipped: the Python package is not built (no cffi, no headers of Python, or with sanitizers)"
    exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tacho"
ln -s "$1"/python/tacho/*.py* "$1/python/tacho/py.typed" "$3" "$dir/tacho/"
PYTHONPATH=$dir PYTHONDONTWRITEBYTECODE=1 "$2" "$1/tests/python/test_tacho.py" "$1"
