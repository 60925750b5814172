/** Requests suggestions from kubectl and passes them to zsh; can be sourced or loaded as a zsh function. */
export const zshScript: string = `#compdef kubectl
compdef _kubectl kubectl

# zsh completion for kubectl                               -*- shell-script -*-

_kubectl() {
    local answer line word text prefix
    local -a typed found described files
    local -i directive
    local -i nospace=2 nofiles=4 extensions=8 folders=16 keeporder=32

    # The words up to the cursor; an empty one if the cursor is after a space.
    typed=("\${(@)words[1,CURRENT]}")
    # The first word may be an alias, which only eval knows.
    answer=$(eval "\${typed[1]}" __complete '"\${(@Q)typed[2,-1]}"' 2>/dev/null) || return 1
    found=("\${(@f)answer}")
    [[ \${found[-1]} == :<-> ]] || return 1
    directive=\${found[-1]#:}
    found[-1]=()
    ((directive & 1)) && return 1

    # Of --flag=value only the value is completed.
    if [[ \${typed[-1]} == -*=* ]]; then
        prefix=\${typed[-1]%%=*}=
        compset -P "\${(b)prefix}"
    fi

    if ((directive & extensions)); then
        for line in "\${found[@]}"; do
            files+=("*.\${line}")
        done
        _files -g "(\${(j:|:)files})"
        return
    fi
    if ((directive & folders)); then
        _files -/
        return
    fi

    for line in "\${found[@]}"; do
        [[ -z $line ]] && continue
        word=\${line%%$'\\t'*}
        text=\${line#"$word"}
        text=\${text#$'\\t'}
        # A colon ends the word for _describe.
        word=\${word//:/\\\\:}
        described+=("\${word}\${text:+:$text}")
    done

    local -a options
    ((directive & nospace)) && options+=(-S '')
    ((directive & keeporder)) && options+=(-V kubectl)
    if _describe -t kubectl kubectl described "\${options[@]}"; then
        return 0
    fi
    ((directive & nofiles)) && return 1
    _files
}

# Loaded as a function, it completes at once.
if [[ \${funcstack[1]} == _kubectl ]]; then
    _kubectl
fi
`;
