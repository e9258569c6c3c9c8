# fish completion of tacho: what 'tacho completion fish' prints. How a line can go on, tacho says itself.
function __tacho_line
    set -l current (commandline -ct)
    set -l before (commandline -opc)
    set -e before[1]
    set -l said (command tacho completion --line -- $before "$current" 2>/dev/null)
    switch "$said[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
        case commands
            complete -C "$current"
    end
    set -e said[1]
    printf '%s\n' $said
end

complete -c tacho -f -a '(__tacho_line)'
