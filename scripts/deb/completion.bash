# Completion for goldsmith(1) and goldsmith-workers(8). The build puts the arrays _goldsmith_commands
# and _goldsmith_options in front of this, made of the command's own tables.
# shellcheck shell=bash
# shellcheck disable=SC2154 # the arrays
_goldsmith() {
  local cur=${COMP_WORDS[COMP_CWORD]} line=goldsmith each
  for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ -n ${_goldsmith_options["$line $each"]-} ]]; then line+=" $each"; fi
  done
  COMPREPLY=()
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${_goldsmith_options[$line]}" -- "$cur")
  elif [[ -n ${_goldsmith_commands["$line"]-} && ${COMP_WORDS[COMP_CWORD-1]} != --config ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${_goldsmith_commands[$line]}" -- "$cur")
  else
    compopt -o default 2>/dev/null
  fi
}
complete -F _goldsmith goldsmith
complete -W 'api build restart' goldsmith-workers
