#!/bin/sh
# dist.sh SOURCE: ./dev dist, on a small tree with programs that only say that they were run: the same bytes from each
# clone, nothing but what git has, built and tested without git. And that git leaves nothing of the real tree out.
set -u
source=$1
. "$(dirname "$0")/checks.sh"
for tool in git xz sha256sum; do need $tool "$tool"; done
if [ -e "$source/.git" ]; then
    git -C "$source" ls-tree -r --name-only HEAD | sort >"$TMP/known" || exit 1
    git -C "$source" archive HEAD | tar t | grep -v '/$' | sort | diff "$TMP/known" - || fail 'the archive lacks files of the tree (<)'
fi

mkdir -p "$TMP/tree/tests" "$TMP/stubs"
cp "$source/dev" "$TMP/tree/dev"
cd "$TMP/tree" || exit 1
printf "project('tacho', 'c',\n  version: '7.8.9',\n  license: 'MIT')\n" >meson.build
printf '#!/bin/sh\necho nothing was skipped\n' >tests/summary.sh
chmod +x tests/summary.sh
printf '/build*/\n' >.gitignore
cat >../stubs/meson <<'S'
#!/bin/sh
case $1 in
setup) : >"$2/build.ninja" ;;
test)
    [ ! -e .git ] || echo 'git is here'
    echo "tested in $PWD, with $(ls -A | tr '\n' ' ')"
    exit "${TESTS_FAIL-0}"
    ;;
esac
S
printf '#!/bin/sh\n' >../stubs/ninja
# What is missing is not installed by a test.
printf '#!/bin/sh\nexit 9\n' >../stubs/apt-get
cp ../stubs/apt-get ../stubs/sudo
chmod +x ../stubs/*
PATH=$TMP/stubs:$PATH GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export PATH GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM
git init -q . && git add . && git -c user.name=x -c user.email=x@example.invalid commit -qm first || exit 1

./dev dist --no-test ../first >../out.txt 2>&1 || {
    grep -q 'packages are missing' ../out.txt && skip "$(grep 'packages are missing' ../out.txt)"
    fail "dist: $(cat ../out.txt)"
}
has 'tacho-7.8.9.tar.xz' 'gpg --armor --detach-sign ../first/tacho-7.8.9.tar.xz'
(cd ../first && sha256sum -c --quiet tacho-7.8.9.tar.xz.sha256) || fail 'the checksum is another one'
git clone -q . ../clone && (cd ../clone && umask 077 && ./dev dist --no-test ../second >../out.txt 2>&1)
cmp ../first/tacho-7.8.9.tar.xz ../second/tacho-7.8.9.tar.xz || fail 'two clones, two archives'

echo more >>meson.build
: >new.c
status 0 'not committed' ./dev dist
has 'tested in' 'tacho-7.8.9, with .gitignore build dev meson.build tests' 'nothing was skipped'
grep 'git is here' ../out.txt && fail 'tested with git'
[ -s build/dist/tacho-7.8.9.tar.xz ] || fail 'no archive in build/dist'
left=$(find "$TMP" -mindepth 1 -maxdepth 1 -name 'tmp.*')
[ -z "$left" ] || fail "the unpacked archive is left behind: $left"

TESTS_FAIL=1
export TESTS_FAIL
status 1 'does not pass its tests; it is unpacked in' ./dev dist ../third
[ -n "$(find "$TMP" -mindepth 1 -maxdepth 3 -path '*/tmp.*/tacho-7.8.9/dev')" ] || fail 'what failed is not kept'
unset TESTS_FAIL
status 1 'usage:' ./dev dist a b
rm -rf .git
status 1 'no git checkout' ./dev dist --no-test
[ "$failures" = 0 ]
