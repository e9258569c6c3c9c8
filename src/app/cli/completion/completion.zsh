#compdef tacho
# zsh completion of tacho: what 'tacho completion zsh' prints. How a line can go on, tacho says itself.
_tacho() {
    integer at=${words[(i)--]}
    if ((at < CURRENT)); then # another program's command line
        shift $at words
        ((CURRENT -= at))
        ((CURRENT == 1)) && _command_names -e || _normal
        return
    fi
    local line
    local -a said found shown
    said=("${(@f)$(command tacho completion --line -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    for line in "${(@)said[2,-1]}"; do
        found+=("${line%%$'\t'*}")
        shown+=("${line/$'\t'/  -- }")
    done
    case $said[1] in
    files) compset -P '--*='; _files ;;
    folders) compset -P '--*='; _files -/ ;;
    *) compadd -l -d shown -a found ;;
    esac
}

if [[ $funcstack[1] == _tacho ]]; then
    _tacho "$@"
else
    compdef _tacho tacho
fi
