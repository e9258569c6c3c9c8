#!/bin/sh
# cmake.sh SOURCE BUILD: a CMake project finds what is installed, links libtacho, its archive and the tools, and runs;
# a later major version, and a component that there is not, are not found. Skipped without CMake.
set -eu
source=$1 build=$2
command -v cmake >/dev/null 2>&1 || {
    echo 'skipped: no CMake (Debian: apt-get install cmake)'
    exit 77
}
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
DESTDIR="$TMP/root" meson install -C "$build" --no-rebuild --tags runtime,devel >"$TMP/log"
config=$(find "$TMP/root" -name tachoConfig.cmake)
libdir=${config%/cmake/tacho/tachoConfig.cmake}
mkdir "$TMP/project"
project() { # VERSION COMPONENTS
    cat >"$TMP/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(tacho $1 REQUIRED COMPONENTS $2)
add_executable(shared $source/tests/embed/predict_bytes.c)
target_link_libraries(shared tacho::tacho)
add_executable(archive $source/tests/embed/predict_bytes.c)
target_link_libraries(archive tacho::static)
add_executable(tools $source/examples/library/predict_block.c)
target_link_libraries(tools tacho::tools)
END
    rm -rf "$TMP/out"
    cmake -S "$TMP/project" -B "$TMP/out" -Dtacho_DIR="${config%/*}" >"$TMP/log" 2>&1
}
project 2.0 'tools static' && cmake --build "$TMP/out" >"$TMP/log" 2>&1 || {
    cat "$TMP/log"
    exit 1
}
export LD_LIBRARY_PATH="$libdir"
for program in shared archive; do
    [ "$("$TMP/out/$program" SKL 480fafc0)" = 3.00 ] || { echo "failed: the program $program"; exit 1; }
done
! ldd "$TMP/out/archive" | grep -q libtacho || { echo 'failed: the archive was not linked'; exit 1; }
"$TMP/out/tools" SKL "$source/examples/chain.s" >"$TMP/said" || { echo "failed: the tools: $(cat "$TMP/said")"; exit 1; }
! project 3 tools || { echo 'failed: version 3 is found'; exit 1; }
! project 2.0 nothing || { echo 'failed: a component that there is not is found'; exit 1; }
grep -q 'without nothing' "$TMP/log" || { cat "$TMP/log"; exit 1; }
