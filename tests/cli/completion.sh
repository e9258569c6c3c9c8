#!/bin/sh
# completion.sh: what bash and fish would complete, asked for without a terminal; zsh loads its script and has it
# complete in a terminal of its own. A shell that is not installed is left out, which is said.
set -u
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT
failures=0
fail() {
    echo "completion.sh: $*"
    failures=$((failures + 1))
}
cd "$TMP" || exit 1
mkdir folder
: >block.s
printf '.globl dot_product\n.type dot_product, @function\ndot_product: dec %%rax\njne dot_product\nret\n' >loop.s
: >own.tacho
: >'two words.s'
tacho completion bash >tacho.bash || fail "no script for bash"
tacho completion zsh >_tacho || fail "no script for zsh"
tacho completion fish >tacho.fish || fail "no script for fish"

cat >ask.bash <<'END'
# ask.bash WORD...: the completions of the last word, on one line, between bars
source ./tacho.bash
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_tacho
printf '%s|' "${COMPREPLY[@]}"
END
bash_has() { # EXPECTED WORD...: some of the completions, in this order, and no others between them
    wanted=$1
    shift
    got=$(bash ask.bash "$@" 2>&1)
    case "|$got" in
    *"|$wanted|"*) ;;
    *) fail "bash: $*: '$got', not '$wanted'" ;;
    esac
}
bash_is() { # EXPECTED WORD...
    wanted=$1
    shift
    got=$(bash ask.bash "$@" 2>&1)
    [ "$got" = "$wanted" ] || fail "bash: $*: '$got', not '$wanted'"
}
if command -v bash >/dev/null; then
    bash -n tacho.bash || fail "bash does not read its script"
    bash_is 'predict|' tacho pre
    bash_is 'completion|' tacho compl
    bash_is 'insn|' tacho help ins
    bash_is 'cluster|' tacho suite cl
    bash_is 'text|json|csv|' tacho predict --format ''
    bash_is 'json|' tacho predict --format = j
    bash_is 'text|json|csv|' tacho predict --format =
    bash_is 'json|' tacho eval -f j
    bash_is 'SKL|SKX|' tacho predict -a SK
    bash_is 'SKL,ICL|SKL,ICX|' tacho predict -a SKL,IC
    bash_is 'own.tacho|' tacho predict -a ow
    bash_is 'SKL,own.tacho|' tacho predict -a SKL,ow
    bash_is 'znver2|znver3|znver4|znver5|' tacho arch zn
    bash_is 'register,flags|' tacho deps --kinds register,f
    bash_is 'distinct|' tacho measure --init d
    bash_is '--what-if|' tacho predict --what
    bash_is '--seed|' tacho suite sample --se
    bash_is 'block.s|' tacho predict bl
    bash_is 'two words.s|' tacho predict -a SKL two
    bash_is 'folder|' tacho kernels ''
    bash_is 'VPADDB|VPADDD|VPADDQ|VPADDSB|VPADDSW|VPADDUSB|VPADDUSW|VPADDW|' tacho insn VPADD
    bash_is 'CPUID|' tacho measure --insn CPU
    bash_is 'tacho-bounds|' tacho eval --model tacho-b
    bash_is 'tacho,tacho-bounds|' tacho kernels -m tacho,tacho-b
    bash_is 'dot_product|' tacho predict loop.s -s dot
    bash_is '|' tacho predict none.s -s dot
    bash_is '|' tacho predict --top ''
    bash_is 'zsh|' tacho completion z
    bash_has mkdir tacho hot -- mkdi
    bash_is 'block.s|' tacho hot -a SKL -- cat bl
    # Every option that help lists is there.
    for command in predict measure deps extract eval kernels hot arch insn doctor learn compare bias; do
        for option in $(tacho $command --help | sed -n 's/^  \(-., \)\{0,1\} *\(--[a-z0-9-]*\).*/\2/p'); do
            bash_has "$option" tacho $command "$option"
        done
    done
else
    echo "no bash: its script is not tried"
fi

fish_is() { # EXPECTED LINE
    got=$(fish --no-config -c "source tacho.fish; complete -C '$2'" 2>&1 | cut -f1 | tr '\n' '|')
    [ "$got" = "$1" ] || fail "fish: $2: '$got', not '$1'"
}
if command -v fish >/dev/null; then
    fish -n tacho.fish || fail "fish does not read its script"
    fish_is 'predict|' 'tacho pre'
    fish_is 'cluster|' 'tacho suite cl'
    fish_is 'csv|json|text|' 'tacho predict --format '
    fish_is 'SKL|SKX|' 'tacho predict -a SK'
    fish_is '--what-if|' 'tacho predict --what'
    fish_is 'block.s|' 'tacho predict bl'
    fish_is 'own.tacho|' 'tacho predict -a ow'
    fish_is 'CPUID|' 'tacho measure --insn CPU'
    fish_is 'dot_product|' 'tacho predict loop.s -s dot'
else
    echo "no fish: its script is not tried"
fi

if command -v zsh >/dev/null; then
    zsh -n _tacho || fail "zsh does not read its script"
    cat >ask.zsh <<'END'
# ask.zsh LINE: the line as zsh completes it
zmodload zsh/zpty || exit 77
zpty shell zsh -f -i
zpty -w shell "PS1= PROMPT_EOL_MARK=; unset zle_bracketed_paste; fpath=($PWD \$fpath); autoload -Uz compinit; compinit -u -D; tacho() { print -r -- \"<\$*>\" }; print rea''dy"
zpty -r shell line '*ready*'
zpty -n -w shell "tacho $1"$'\t\n'
zpty -r shell line '*<*>*'
print -r -- "${${line##*<}%%>*}"
END
    zsh_is() { # EXPECTED LINE: the line as it is completed
        got=$(timeout 60 zsh ask.zsh "$2" 2>&1)
        [ "$got" = "$1" ] || fail "zsh: $2: '$got', not '$1'"
    }
    zsh_is 'predict' 'pred'
    zsh_is 'suite dedup' 'suite ded'
    zsh_is 'predict --what-if' 'predict --wha'
    zsh_is 'predict -a HSW' 'predict -a HS'
    zsh_is 'predict --format=json' 'predict --format=js'
    zsh_is 'deps --kinds register,flags' 'deps --kinds register,fl'
    zsh_is 'arch turin' 'arch turi'
    zsh_is 'predict -a own.tacho' 'predict -a ow'
    zsh_is 'predict block.s' 'predict bl'
    zsh_is 'hot -- mkfifo' 'hot -- mkfif'
    zsh_is 'insn CPUID' 'insn CPU'
    zsh_is 'predict loop.s -s dot_product' 'predict loop.s -s dot'
    zsh_is 'kernels -m tacho,tacho-bounds' 'kernels -m tacho,tacho-b'
else
    echo "no zsh: its script is not tried"
fi
[ "$failures" = 0 ]
