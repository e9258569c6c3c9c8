#!/bin/sh
# dev.sh DEV: what ./dev says before it compiles, on a copy of it and with programs that only say that they were run:
# the demo's first line is what it does, not what Meson finds; what Meson says is in a file, and shown where it fails.
set -u
. "$(dirname "$0")/checks.sh"
mkdir -p "$TMP/clone" "$TMP/stubs"
cp "$1" "$TMP/clone/dev"
cd "$TMP/clone" || exit 1
cat >../stubs/meson <<'S'
#!/bin/sh
for i in 1 2 3 4 5 6 7 8 9; do echo "Run-time dependency $i found: YES"; done
[ -z "${MESON_FAILS-}" ] || {
    echo 'ERROR: no C compiler' >&2
    exit 1
}
: >"$2/build.ninja"
S
cat >../stubs/ninja <<'S'
#!/bin/sh
printf '#!/bin/sh\necho ran "$@"\n' >build/tacho
chmod +x build/tacho
S
# What is missing for a build is not installed by a test.
printf '#!/bin/sh\nexit 9\n' >../stubs/apt-get
cp ../stubs/apt-get ../stubs/sudo
chmod +x ../stubs/*
PATH=$TMP/stubs:$PATH
export PATH

demo() { # STATUS: all that it says is in out.txt
    ./dev demo </dev/null >../out.txt 2>&1
    got=$?
    if grep -q 'packages are missing' ../out.txt; then skip "$(grep 'packages are missing' ../out.txt)"; fi
    [ $got = "$1" ] || fail "status $got, not $1: $(cat ../out.txt)"
}

MESON_FAILS=1
export MESON_FAILS
demo 1
head -1 ../out.txt | grep -q '^dev: predicts two loops' || fail "the first line: $(head -1 ../out.txt)"
has 'Run-time dependency 9' 'ERROR: no C compiler' 'build/setup.log'

MESON_FAILS=
demo 0
head -1 ../out.txt | grep -q '^dev: predicts two loops' || fail "the first line: $(head -1 ../out.txt)"
sed -n 2p ../out.txt | grep -q 'a minute and a half' || fail "how long it takes: $(sed -n 2p ../out.txt)"
grep 'Run-time' ../out.txt && fail "what Meson found is shown"
grep -q 'Run-time dependency 9' build/setup.log || fail 'what Meson found is not kept'
has 'ran predict examples/dot.s' 'Go on with'

demo 0
grep 'minute' ../out.txt && fail 'a program that is built takes no minutes'
[ "$failures" = 0 ]
