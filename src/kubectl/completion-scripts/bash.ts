/**
 * Requests suggestions from kubectl and passes them to bash. It needs nothing but bash itself (3.2 or later): if
 * bash-completion is installed, it is used to join words that bash splits at `=` and `:`.
 */
export const bashScript: string = `# bash completion for kubectl                              -*- shell-script -*-

# The words before the cursor, with those put together that bash takes apart at = and :.
__kubectl_words() {
    if declare -F _get_comp_words_by_ref >/dev/null; then
        local cur prev words cword
        _get_comp_words_by_ref -n "=:" cur prev words cword
        __kubectl_typed=("\${words[@]:0:cword}" "$cur")
        return
    fi
    local i word joins=0
    __kubectl_typed=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=\${COMP_WORDS[i]}
        if ((i > 0)) && [[ $word == [=:]* || $joins == 1 ]]; then
            __kubectl_typed[\${#__kubectl_typed[@]} - 1]+=$word
        else
            __kubectl_typed+=("$word")
        fi
        joins=0
        [[ $word == [=:] ]] && joins=1
    done
}

# Files with one of some extensions, and folders.
__kubectl_files() {
    local current=$1 extension
    shift
    COMPREPLY=()
    compopt -o filenames 2>/dev/null
    for extension in "$@"; do
        while IFS='' read -r file; do
            COMPREPLY+=("$file")
        done < <(compgen -f -X "!*.$extension" -- "$current")
    done
    while IFS='' read -r file; do
        COMPREPLY+=("$file")
    done < <(compgen -d -- "$current")
}

# Suggestions with what they mean behind them, while there are several.
__kubectl_describe() {
    local i word text width=0 columns=\${COLUMNS:-80}
    for word in "\${COMPREPLY[@]}"; do
        word=\${word%%$'\\t'*}
        ((\${#word} > width)) && width=\${#word}
    done
    for i in "\${!COMPREPLY[@]}"; do
        word=\${COMPREPLY[i]%%$'\\t'*}
        text=\${COMPREPLY[i]#"$word"}
        text=\${text#$'\\t'}
        [[ -z $text ]] && continue
        COMPREPLY[i]=$(printf '%-*s  (%s)' "$width" "$word" "$text")
        ((\${#COMPREPLY[i]} > columns)) && COMPREPLY[i]="\${COMPREPLY[i]:0:columns - 4}...)"
    done
}

__start_kubectl() {
    local __kubectl_typed answer line last directive current file
    local -a found=()
    __kubectl_words
    last=$((\${#__kubectl_typed[@]} - 1))
    current=\${__kubectl_typed[last]}
    COMPREPLY=()
    # The first word may be an alias, which only eval knows.
    answer=$(eval "\${__kubectl_typed[0]}" __complete '"\${__kubectl_typed[@]:1}"' 2>/dev/null) || return
    while IFS='' read -r line; do
        found+=("$line")
    done <<<"$answer"
    last=$((\${#found[@]} - 1))
    directive=\${found[last]#:}
    unset "found[last]"
    [[ $directive =~ ^[0-9]+$ ]] || return
    ((directive & 1)) && return
    if ((directive & 8)); then
        __kubectl_files "\${current#*=}" "\${found[@]}"
        return
    fi
    if ((directive & 16)); then
        __kubectl_files "\${current#*=}"
        return
    fi
    ((directive & 2)) && compopt -o nospace 2>/dev/null
    ((directive & 32)) && compopt -o nosort 2>/dev/null
    # Of --flag=value bash replaces the value only.
    local value=$current
    [[ $current == -*=* ]] && value=\${current#*=}
    for line in "\${found[@]}"; do
        [[ $line == "$value"* ]] && COMPREPLY+=("$line")
    done
    if ((\${#COMPREPLY[@]} == 0)); then
        ((directive & 4)) || compopt -o default 2>/dev/null
        return
    fi
    if ((\${#COMPREPLY[@]} == 1)); then
        COMPREPLY[0]=\${COMPREPLY[0]%%$'\\t'*}
    elif [[ \${COMP_TYPE:-9} == 37 || \${COMP_TYPE:-9} == 42 ]]; then
        # The words go into the line as they are.
        COMPREPLY=("\${COMPREPLY[@]%%$'\\t'*}")
    else
        __kubectl_describe
    fi
    # Bash starts a new word after a colon.
    if [[ $value == *:* && $COMP_WORDBREAKS == *:* ]]; then
        local before=\${value%"\${value##*:}"} i
        for i in "\${!COMPREPLY[@]}"; do
            COMPREPLY[i]=\${COMPREPLY[i]#"$before"}
        done
    fi
}

if [[ $(type -t compopt) == builtin ]]; then
    complete -F __start_kubectl kubectl
else
    complete -o nospace -F __start_kubectl kubectl
fi
`;
