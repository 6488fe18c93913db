# --- What its awk says ----------------------------------------------------------------------------------------------

# Two lines for each text: itself and its translation, with \037 for a line feed.
awk_translations=@awk_translations@
[ "$language" != en ] || awk_translations=''

# What programs begin with whose texts are tr("…", "NAME", VALUE, …), literals with values in the place of `{NAME}`. N_()
# marks a text that spoken() gets as a value. They read the translations from TRANSLATIONS in the environment.
# shellcheck disable=SC2016 # awk's
readonly speak='
  function N_(text) { return text }
  function spoken(text) { return text in translation ? translation[text] : text }
  function tr(text, name1, value1, name2, value2, name3, value3,    out, name) {
    text = spoken(text)
    while (match(text, /[{][a-z]+[}]/)) {
      name = substr(text, RSTART + 1, RLENGTH - 2)
      out = out substr(text, 1, RSTART - 1) \
        (name == name1 ? value1 : name == name2 ? value2 : name == name3 ? value3 : "{" name "}")
      text = substr(text, RSTART + RLENGTH)
    }
    return out text
  }
  BEGIN {
    translations = split(ENVIRON["TRANSLATIONS"], translated, "\n")
    for (; translations > 1; translations -= 2) {
      gsub(/\037/, "\n", translated[translations - 1]); gsub(/\037/, "\n", translated[translations])
      translation[translated[translations - 1]] = translated[translations]
    }
  }
'

