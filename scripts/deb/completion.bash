# Completion for goldsmith(1) and goldsmith-workers(8). The words come from the programs' own help.
_goldsmith() {
  local cur=${COMP_WORDS[COMP_CWORD]} words=() each
  for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $each == -* || $each == = ]] || words+=("$each")
  done
  if [[ $cur == -* ]]; then
    # shellcheck disable=SC2207 # options have no spaces
    COMPREPLY=($(compgen -W "$(goldsmith "${words[@]:0:2}" --help 2>/dev/null |
      grep -oE -- '--[a-z-]+' | sort -u)" -- "$cur"))
  elif ((${#words[@]} < 2)); then
    # The lines of a list are "  WORD   what it does".
    # shellcheck disable=SC2207
    COMPREPLY=($(compgen -W "$(goldsmith "${words[@]}" --help 2>/dev/null |
      sed -n 's/^  \([a-z-]*\)  *[A-Z].*/\1/p')" -- "$cur"))
  else
    COMPREPLY=()
    compopt -o default
  fi
}
complete -F _goldsmith goldsmith
complete -W 'api build restart' goldsmith-workers
