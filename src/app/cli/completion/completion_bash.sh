_tacho_words() { # CURRENT WORDS [BEFORE]
    mapfile -t COMPREPLY < <(compgen ${3:+-P "$3"} -W "$2" -- "$1")
}

_tacho_files() { # CURRENT KIND: files, directories or commands
    mapfile -t COMPREPLY < <(compgen "$2" -- "$1")
    compopt -o filenames 2>/dev/null
}

_tacho_models() { # CURRENT BEFORE: adds files of cores, and folders
    local more
    mapfile -t more < <(compgen ${2:+-P "$2"} -f -X '!*.tacho' -- "$1"; compgen ${2:+-P "$2"} -d -- "$1")
    ((${#more[@]})) && compopt -o filenames 2>/dev/null
    COMPREPLY+=("${more[@]}")
}

_tacho_argument() { # COMMAND OPTION CURRENT
    local takes=$(_tacho_takes "$1" "$2") before= models=
    [[ $takes ]] || takes=$(_tacho_takes "$1" '')
    [[ $takes == arch ]] && takes="list $_tacho_archs" models=yes
    case $takes in
    'list '* | 'ask models') [[ $3 == *,* ]] && before=${3%,*}, ;;
    esac
    case $takes in
    'word '* | 'list '*)
        _tacho_words "${3##*,}" "${takes#* }" "$before"
        [[ $models && $3 ]] && _tacho_models "${3##*,}" "$before"
        ;;
    'ask '*) _tacho_words "${3##*,}" "$(command tacho completion --words "${takes#* }" -- "${COMP_WORDS[@]:2}" 2>/dev/null)" "$before" ;;
    file) _tacho_files "$3" -f ;;
    directory) _tacho_files "$3" -d ;;
    esac
}

_tacho() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} first=2 i
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _tacho_words "$current" "$_tacho_commands help --version"
        return
    fi
    if [[ $command == help ]]; then
        ((COMP_CWORD == 2)) && _tacho_words "$current" "$_tacho_commands"
        return
    fi
    if [[ $command == suite ]]; then
        if ((COMP_CWORD == 2)); then
            _tacho_words "$current" "$_tacho_suite_commands"
            return
        fi
        command="suite ${COMP_WORDS[2]}" first=3
    fi
    for ((i = first; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -- ]] && break
    done
    if ((i < COMP_CWORD)); then # behind -- is another program's command line
        _tacho_files "$current" $( ((i + 1 == COMP_CWORD)) && echo -c || echo -f)
        return
    fi
    if [[ $current == = ]]; then # bash takes --format=json for three words
        current=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ $current == -* ]]; then
        _tacho_words "$current" "$(_tacho_options "$command")"
    else
        _tacho_argument "$command" "$before" "$current"
    fi
}

complete -F _tacho tacho
