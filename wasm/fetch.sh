#!/bin/sh
# fetch.sh: the sources of Zydis and Jansson, as Debian has them, for the build of the WebAssembly module: into
# build-sources of this tree, which git does not see. Zycore's headers are those of libzycore-dev.
# apt checks the signatures; it works in a directory of its own, so that it needs no root and no deb-src line.
set -eu
cd "$(dirname "$0")/.."
to=$PWD/build-sources
[ -e "$to"/zydis/src/Decoder.c ] && [ -e "$to"/jansson/src/value.c ] && [ -e "$to"/include/Zycore/Types.h ] && exit 0
rm -rf "$to"
mkdir -p "$to/apt/lists/partial" "$to/apt/cache/archives/partial" "$to/include"
. /etc/os-release
printf 'deb-src http://deb.debian.org/debian %s main\n' "$VERSION_CODENAME" >"$to/apt/list"
apt() {
    apt-get -qq -o Dir::Etc::sourcelist="$to/apt/list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$to/apt/lists" -o Dir::Cache="$to/apt/cache" -o APT::Sandbox::User=root "$@"
}
apt update
(cd "$to" && apt source --download-only --only-source --tar-only zydis jansson)
for package in zydis jansson; do
    mkdir "$to/$package"
    tar -xf "$to/$package"_*.orig.tar.* -C "$to/$package" --strip-components=1
done
cp -r /usr/include/Zycore "$to/include/"
rm -rf "$to/apt" "$to"/*.tar.* "$to"/*.dsc
