/** Requests suggestions from kubectl and passes them to fish. */
export const fishScript: string = `# fish completion for kubectl                              -*- shell-script -*-

# The answer to what is typed: suggestions, a line each, and a directive.
function __kubectl_ask
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l program $typed[1]
    set -e typed[1]
    # What is typed may have quotes; an empty word counts, and counts once.
    set -l word (string unescape -- "$current")
    $program __complete $typed "$word" 2>/dev/null
end

# Keeps the suggestions for complete; fails where files are to be completed.
function __kubectl_prepare
    set -g __kubectl_found
    set -l answer (__kubectl_ask)
    test (count $answer) -gt 0; or return 1
    set -l directive (string sub --start 2 -- $answer[-1])
    set -e answer[-1]
    string match --quiet --regex '^[0-9]+$' -- $directive; or return 1
    # An error, or files with some extensions, or folders: fish does files well itself.
    if test (math "bitand($directive, 1)") -ne 0
        return 1
    end
    if test (math "bitand($directive, 8)") -ne 0; or test (math "bitand($directive, 16)") -ne 0
        return 1
    end
    # Of --flag=value fish replaces the whole word.
    set -l current (commandline -ct)
    set -l prefix ''
    if string match --quiet --regex '^-[^=]*=' -- $current
        set prefix (string match --regex '^-[^=]*=' -- $current)
    end
    for line in $answer
        set -a __kubectl_found "$prefix$line"
    end
    set -l count (count $__kubectl_found)
    # Fish puts no space after one of several.
    if test (math "bitand($directive, 2)") -ne 0; and test $count -eq 1
        set -l word (string split --max 1 \\t -- $__kubectl_found[1])[1]
        if not string match --quiet --regex '[@=/:.,-]$' -- $word
            set -a __kubectl_found "$word."
        end
    end
    if test $count -eq 0; and test (math "bitand($directive, 4)") -eq 0
        return 1
    end
    return 0
end

complete --command kubectl --erase
complete --command kubectl --no-files --condition __kubectl_prepare --arguments '$__kubectl_found'
`;
