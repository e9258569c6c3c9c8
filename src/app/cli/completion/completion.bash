# bash completion of tacho: what 'tacho completion bash' prints. How a line can go on, tacho says itself.
_tacho() {
    local more word current=${COMP_WORDS[COMP_CWORD]}
    [[ $current == = ]] && current=
    COMPREPLY=()
    {
        read -r more
        while IFS=$'\t' read -r word _; do COMPREPLY+=("$word"); done
    } < <(command tacho completion --line -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    case $more in
    files) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folders) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    commands) mapfile -t COMPREPLY < <(compgen -c -- "$current") ;;
    esac
    [[ $more ]] && compopt -o filenames 2>/dev/null
}

complete -F _tacho tacho
