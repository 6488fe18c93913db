# --- What each file is ------------------------------------------------------------------------------------------

# Reads, one after the other: the list of known files, what compiled plugins register, what libraries say of themselves,
# what files say is there, the names in lists of plugins, and twice the files of the folder: to find the versions, then to
# name each. Only what is in the list is kept in memory, and of the folder's files as many lines as are printed.
# shellcheck disable=SC2016 # awk's
readonly judge='
  # Without control characters, those of Unicode too, and what turns the direction of a text.
  function shown(text,    out, piece) {
    gsub(/[\001-\037\177]/, "?", text)
    if (text !~ /[\200-\377]/) return text
    while (text != "") {
      if (match(text, /^[\001-\177]+/)) { out = out substr(text, 1, RLENGTH) }
      else if (match(text, /^\302[\240-\277]/) || match(text, /^[\303-\337][\200-\277]/) ||
          match(text, /^[\340-\357][\200-\277][\200-\277]/) || match(text, /^[\360-\364][\200-\277][\200-\277][\200-\277]/)) {
        piece = substr(text, 1, RLENGTH)
        out = out (piece ~ /^\342\200[\250-\256]/ || piece ~ /^\342\201[\246-\251]/ ? "?" : piece)
      } else { RLENGTH = 1; out = out "?" }
      text = substr(text, RLENGTH + 1)
    }
    return out
  }
  function rest(from,    text, i) { text = $0; for (i = 1; i < from; i++) sub(/^[^ ]* /, "", text); return text }
  function key(text) { text = tolower(text); gsub(/[^a-z0-9]/, "", text); return text }
  # As versions are spelled here and there: "v1.0 beta" and "1.0-beta".
  function spelled(text) {
    text = tolower(text)
    sub(/^ *\./, "0.", text); gsub(/[^a-z0-9]+/, ".", text); gsub(/^\.|\.$/, "", text); sub(/^v\.?/, "", text)
    return text == "" ? "0" : text
  }
  function add_to(list, item) { return list == "" ? item : list " " item }
  function has(list, item) { return index(" " list " ", " " item " ") > 0 }

  # --- The list of known files
  function learn(    prefix, role, path, v) {
    if (length($1) == 24) {
      prefix = $1; role = $2; path = substr($0, 28); v = versions
      if (of_plugin) {
        if (role == "s") source_of[prefix] = add_to(source_of[prefix], v)
        else part_of[prefix] = add_to(part_of[prefix], v)
        if (role == "c") setting_of[path] = add_to(setting_of[path], v)
        return
      }
      same[path, prefix] = add_to(same[path, prefix], v)
      at[path] = add_to(at[path], v)
      if (!((path, components) in roles)) roles[path, components] = role
      if (!(prefix in copy_of)) copy_of[prefix] = v " " path
      if (role != "c") sizes[v]++
      if (role == "m") { mains[v]++; main_path[v, mains[v]] = path }
    } else if ($1 == "component") {
      of_plugin = 0; components++
      slug[components] = $2; layer[components] = $3; selectable[components] = $4 == "selectable"; title[components] = rest(5)
      first[components] = versions + 1
    } else if ($1 == "upstream") { upstream_of[tolower($2)] = add_to(upstream_of[tolower($2)], components); repository[components] = $2
    } else if ($1 == "plugin") {
      of_plugin = 1; plugins++
      plugin[plugins] = $2; name = key(rest(3)); first_of[plugins] = versions + 1
      if (name != "") named[name] = add_to(named[name], plugins)
    } else if ($1 == "author") { author[plugins] = key(rest(2)) }
    else if ($1 == "version") {
      v = ++versions
      number[v] = $2; state[v] = $3; owner[v] = of_plugin ? plugins : components
      if (of_plugin) {
        last_of[plugins] = v
        if ($3 == "latest") newest_of[plugins] = v
        if ($4 != "") binary[$4] = add_to(binary[$4], plugins)
      } else {
        last[components] = v
        if ($3 == "latest") newest[components] = v
        if ($3 == "held") reason[v] = rest(4)
      }
    } else if ($1 == "fault") {
      name = "AMX Mod X " $2 (rest(3) == "" ? "" : ": " rest(3))
      fault[versions] = (versions in fault) ? fault[versions] "; " name : name
    }
  }

  # --- Plugins by what they register
  # Sets the version of the directory, or says that it is another one: of the plugin with this name and author.
  function recognize(path, name, version, by,    candidates, count, i, p, v, found, exact, exacts, founds, file) {
    said[path] = tr("\"{plugin}\" {version} by {author}", "plugin", shown(name), "version", shown(version), "author", shown(by))
    count = split(named[key(name)], candidates, " ")
    file = path; sub(/.*\//, "", file)
    for (i = 1; i <= count; i++) {
      p = candidates[i]
      if (!is_author(author[p], key(by))) continue
      found = p; founds++
      if (!(v = version_of(p, version))) continue
      if (file in binary && has(binary[file], p)) { exact = v; exacts = 1; break } # of several that say the same
      exact = v; exacts++
    }
    if (exacts == 1) registered[path] = exact
    else if (exacts == 0 && founds == 1) { registered[path] = newest_of[found]; other_version[path] = version == "" ? tr("none") : version }
  }
  function is_author(one, other) {
    return one == other || (length(one) > 2 && index(other, one)) || (length(other) > 2 && index(one, other))
  }
  function version_of(p, version,    v, wanted) {
    wanted = spelled(version)
    for (v = first_of[p]; v <= last_of[p]; v++) if (spelled(number[v]) == wanted) return v
    return 0
  }

  # --- Libraries by what they say of themselves
  function introduce(path, name, version) {
    own_name[path] = shown(name)
    own_version[path] = shown(version)
  }
  function introduction(path,    name, version) {
    name = own_name[path]; version = own_version[path]
    if (name != "") name = "\"" name "\"" (version == "" ? "" : " ")
    return tr("says {name} of itself", "name", name version)
  }
  # 1 if a version that was spelled somewhere else is this one: "1.9.0-dev-git5294" and "1.9.0.5294". 2 if it is one of that
  # line: "1.9". Otherwise 0.
  function is_version(text, v,    wanted, is) {
    wanted = spelled(text); gsub(/\.dev$|dev\.|git/, "", wanted)
    is = spelled(number[v])
    return wanted == is ? 1 : index(is, wanted ".") == 1 ? 2 : 0
  }

  # --- Versions of components
  function weigh(path, prefix,    list, count, i, v, hit, mine) {
    if (prefix in source_of) meet(source_of[prefix])
    if (!(path in at)) return
    mine = (path, prefix) in same ? same[path, prefix] : ""
    count = split(at[path], list, " ")
    for (i = 1; i <= count; i++) {
      v = list[i]
      role = roles[path, owner[v]]
      if (role == "c") continue
      hit = has(mine, v)
      if (hit) matching[v]++; else differing[v]++
      if (role != "m") continue
      if (!(path in present)) present_path[++presents] = path
      present[path] = prefix
      if (hit) agreeing[v]++; else disagreeing[v]++
    }
  }
  function meet(list,    all, count, i) { count = split(list, all, " "); for (i = 1; i <= count; i++) met[owner[all[i]]] = 1 }

  function agrees(v) {
    if (mains[v]) return agreeing[v] > 0 && !disagreeing[v]
    return matching[v] > 0 && !differing[v] && matching[v] * 2 >= sizes[v]
  }
  function choose(    c, v, i, n, path, d, all, count) {
    for (c = 1; c <= components; c++) {
      for (v = first[c]; v <= last[c]; v++) if (agrees(v) && (!(c in chosen) || matching[v] > matching[chosen[c]])) chosen[c] = v
    }
    # Two components can have the same file.
    for (c = 1; c <= components; c++) {
      if (!(c in chosen)) continue
      v = chosen[c]
      for (i = 1; i <= mains[v]; i++) {
        path = main_path[v, i]
        if (!(path in present)) continue
        if (!(path in holder)) { holder[path] = c; continue }
        d = holder[path]
        if (matching[v] > matching[chosen[d]]) { delete chosen[d]; holder[path] = c } else { delete chosen[c]; break }
      }
    }
    for (n = 1; n <= presents; n++) {
      path = present_path[n]
      if (path in holder && holder[path] in chosen) continue
      count = split(at[path], all, " ")
      for (i = 1; i <= count; i++) {
        c = owner[all[i]]
        if (c in chosen || (path in candidates) && has(candidates[path], c)) continue
        candidates[path] = (path in candidates) ? candidates[path] " " c : c
        is_there[c] = 1
      }
    }
    is_chosen = 1
  }

  # --- Each file
  function either(names, name) { return names == "" ? name : tr("{names} or {name}", "names", names, "name", name) }
  # "SLUG VERSION, VERSION or SLUG VERSION" of a list of versions of components or plugins.
  function names_of(list, of_plugins,    all, count, i, text, before, name) {
    count = split(list, all, " ")
    for (i = 1; i <= count; i++) {
      name = of_plugins ? plugin[owner[all[i]]] : slug[owner[all[i]]]
      if (i > 5) { text = text ", …"; break }
      if (name == before) text = text ", " number[all[i]]
      else text = either(text, name " " number[all[i]])
      before = name
    }
    return text
  }
  function chosen_in(list,    all, count, i) {
    count = split(list, all, " ")
    for (i = 1; i <= count; i++) if (owner[all[i]] in chosen && chosen[owner[all[i]]] == all[i]) return all[i]
    return 0
  }
  function there_in(list,    all, count, i, c) {
    count = split(list, all, " ")
    for (i = 1; i <= count; i++) if (owner[all[i]] in chosen) return owner[all[i]]
    for (i = 1; i <= count; i++) if (owner[all[i]] in is_there) return owner[all[i]]
    return 0
  }
  function is_one(list,    all, count, i) {
    count = split(list, all, " ")
    for (i = 2; i <= count; i++) if (owner[all[i]] != owner[all[1]]) return 0
    return 1
  }
  function met_in(list,    all, count, i, text) {
    count = split(list, all, " ")
    for (i = 1; i <= count; i++) if (owner[all[i]] in met) text = add_to(text, all[i])
    return text
  }
  function note(kind, text, path) {
    counts[kind]++
    if (path in own_name) text = and_also(text, introduction(path))
    if (files) print (kind == "" ? "" : spoken(kind) " ") text "\t" shown(path)
    if (kind != "" && counts[kind] <= most) lines[kind, counts[kind]] = "  " shown(path) (text == "" ? "" : "  (" text ")")
  }
  function is_written(path) {
    return path == "cstrike/liblist.gam" || path == "cstrike/addons/metamod/plugins.ini" ||
      path == "cstrike/addons/amxmodx/configs/plugins-svc.ini"
  }
  function is_binary(path) { return path ~ /^cstrike\/addons\/amxmodx\/plugins\/.*\.amxx$/ }

  function name_file(path, prefix,    list, v, c, text, all, file) {
    if ((path, prefix) in same) {
      list = same[path, prefix]
      if (v = chosen_in(list)) { number_of_files[owner[v]]++; note("", slug[owner[v]] " " number[v], path) }
      else if (c = there_in(list)) {
        if (roles[path, c] == "c" || !(c in chosen)) note("", tr("as in {version}", "version", names_of(list)), path)
        else note("Other versions:", tr("{versions}; the rest is {version}", "versions", names_of(list), "version", number[chosen[c]]), path)
      } else note("Parts of what is not installed:", tr("as in {version}", "version", names_of(list)), path)
    } else if (is_written(path)) note("Lists that a build writes anew:", "", path)
    else if (prefix in source_of) {
      list = source_of[prefix]; text = names_of(list, 1)
      note("", is_one(list) ? tr("source of {plugin}", "plugin", text) : tr("source of one of {plugins}", "plugins", text), path)
    }
    else if (is_binary(path) && path in registered && !is_of_component(path)) use_plugin(path)
    else if (prefix in part_of && is_met(part_of[prefix])) {
      list = met_in(part_of[prefix]); text = names_of(list, 1)
      note("", is_one(list) ? tr("of {plugin}", "plugin", text) : tr("of one of {plugins}", "plugins", text), path)
    }
    else if (prefix in part_of) note("", tr("as in {version}", "version", names_of(part_of[prefix], 1)), path)
    else if (path in at && (c = there_in(at[path]))) {
      if (roles[path, c] == "c") note("Edited configuration:", slug[c], path)
      else if (c in chosen) note("Changed:", tr("not as in {version}", "version", slug[c] " " number[chosen[c]]), path)
      else if (path in candidates) {
        note("Of a version that is not known:", tr("in the place of {components}", "components", names_of_candidates(path)), path)
      }
      else note("", tr("not known, in the place of a file of {component}", "component", slug[c]), path)
    } else if (prefix in copy_of) {
      v = copy_of[prefix]; text = v; sub(/ .*/, "", v); sub(/^[^ ]* /, "", text)
      note("", tr("a copy of {file} of {component}", "file", shown(text), "component", slug[owner[v]]), path)
    } else if (path in setting_of && is_met(setting_of[path])) note("Edited configuration:", plugin[owner[is_met(setting_of[path])]], path)
    else {
      file = path; sub(/.*\//, "", file)
      if (path in registered) note("", tr("copy of plugin {plugin}", "plugin", names_of(registered[path], 1)), path)
      else if (path in said) {
        text = said[path]
        if (file in binary) text = tr("{plugin}; its file is named like {plugins}", "plugin", text, "plugins", plugins_of(binary[file]))
        note("Unknown plugins:", text, path)
      } else if (path ~ /\.amxx$/ && file in binary) {
        note("Plugins that may be known by their file name alone:", plugins_of(binary[file]), path)
      }
      else if (path ~ /^(cstrike\/)?(amxbuild\.ya?ml|DEPS_LIST|\.amxxpack\.json|Dockerfile|(docker-)?compose\.ya?ml)$/) {
        note("", tr("what a tool was told"), path)
      }
      else if (path ~ /\/addons\/|\.so$|\.dll$|\.amxx$|\.sma$|^[^\/]*$/) note("Unknown:", "", path)
      else elsewhere(path)
    }
  }
  # A plugin of AMX Mod X itself may have an entry in the directory, too.
  function is_of_component(path) { return path in other_version && path in at && there_in(at[path]) }
  function is_met(list,    all, count, i) {
    count = split(list, all, " ")
    for (i = 1; i <= count; i++) if (owner[all[i]] in met) return all[i]
    return 0
  }
  function plugins_of(list,    all, count, i, text) {
    count = split(list, all, " ")
    for (i = 1; i <= count; i++) if (!has(text, plugin[all[i]])) text = add_to(text, plugin[all[i]])
    return text
  }
  function names_of_candidates(path,    all, count, i, text) {
    count = split(candidates[path], all, " ")
    for (i = 1; i <= count; i++) text = either(text, slug[all[i]])
    return text
  }
  # A compiled plugin that AMX Mod X finds.
  function use_plugin(path,    v, p, file, is_on, text) {
    v = registered[path]; p = owner[v]
    file = substr(path, length("cstrike/addons/amxmodx/plugins/") + 1)
    is_on = "*" in loaded || file in loaded
    if (path in other_version) {
      text = shown(other_version[path])
      note("", tr("plugin {plugin} {version}, a version that is not known", "plugin", plugin[p], "version", text), path)
      text = text "?"
    } else {
      text = number[v]
      note("", tr("plugin {plugin} {version}", "plugin", plugin[p], "version", text), path)
    }
    if (++uses <= most || files) use_line[uses] = sprintf("  %-28s %-12s %s%s", plugin[p], text, shown(file), remarks(path, v, p, is_on))
    if (is_on && !(p in in_link)) { link_plugins++; in_link[p] = path in other_version ? "" : number[v] }
    if (is_on && !("*" in loaded)) { unlisted[++unlists] = file }
  }
  function remarks(path, v, p, is_on,    text) {
    if (path in other_version) text = tr("a version that is not known, the newest is {version}", "version", number[newest_of[p]])
    else if (newest_of[p] != v) text = tr("outdated: {version} is the newest", "version", number[newest_of[p]])
    if (!(path in other_version) && v in fault) text = and_also(text, tr("known to fail with {toolchains}", "toolchains", shown(fault[v])))
    if (!is_on) text = and_also(text, tr("not loaded: no list names it"))
    return text == "" ? "" : "  (" text ")"
  }
  function and_also(text, more) { return text (text == "" || more == "" ? "" : "; ") more }
  function elsewhere(path,    top) {
    split(path, parts, "/")
    top = parts[1] == "cstrike" && parts[3] != "" ? parts[1] "/" parts[2] : parts[1]
    if (!(top in tops) && top_count < 40) top_count++
    else if (!(top in tops)) top = tr("elsewhere")
    tops[top]++; rest_of_files++
    if (files) print spoken("Unknown:") " \t" shown(path)
  }

  # --- What files say is there
  # The components of a list of them that have this version, or else its line: the first two numbers.
  function of_line(list, version,    all, count, i, c, v, exact, line, piece) {
    split(spelled(version), piece, ".")
    count = split(list, all, " ")
    for (i = 1; i <= count; i++) {
      c = all[i]
      for (v = first[c]; v <= last[c]; v++) {
        if (is_version(version, v) && !has(exact, c)) exact = add_to(exact, c)
        if (index(spelled(number[v]), piece[1] "." piece[2] ".") == 1 && !has(line, c)) line = add_to(line, c)
      }
    }
    return exact != "" ? exact : line != "" ? line : list "" # gawk 5.2.1 frees what a function returns untyped
  }
  # The components that "OWNER/REPOSITORY", "metamod" or "AMX Mod X" may mean; in `family` also those that are it in other
  # versions. Repositories move: one with another owner and the name of a family is it if the version is one of its.
  function meant(name, version,    c, word, exact, like, v, all, count, i) {
    family = tolower(name) in upstream_of ? upstream_of[tolower(name)] : ""
    if (family != "") return of_line(family, version)
    word = name; sub(/.*\//, "", word); word = key(word)
    if (word == "amxx") word = "amxmodx"
    for (c = 1; c <= components; c++) {
      v = repository[c]; sub(/.*\//, "", v)
      if (word == key(slug[c]) || word == key(title[c]) || word == key(v)) exact = add_to(exact, c)
      else if (length(word) > 3 && index(key(slug[c]), word) == 1) like = add_to(like, c)
    }
    family = exact == "" && name !~ /\// ? like : exact
    if (name !~ /\//) return of_line(family, version)
    count = split(family, all, " ")
    for (i = 1; i <= count; i++) {
      for (v = first[all[i]]; version != "" && v <= last[all[i]]; v++) if (is_version(version, v)) return all[i]
    }
    return ""
  }
  # What there is of this; "" if the files say the same.
  function compared(list, version,    all, count, i, c, v, is, path) {
    count = split(list " " family, all, " ")
    for (i = 1; i <= count; i++) {
      c = all[i]
      if (c in chosen) return version == "" || is_version(version, chosen[c]) ? "" : tr("here is {version}", "version", slug[c] " " number[chosen[c]])
    }
    for (path in candidates) {
      for (i = 1; i <= count; i++) {
        if (!has(candidates[path], all[i])) continue
        if (!(path in own_name)) return tr("what is here is of no version that is known")
        return tr("what is here is of no version that is known, and {introduction}", "introduction", introduction(path))
      }
    }
    if (list ~ / /) return tr("not here")
    for (v = first[list]; v <= last[list]; v++) {
      if (is = is_version(version, v)) return tr("{component} is not here", "component", slug[list] (is == 1 ? " " number[v] : ""))
    }
    return tr("not here")
  }
  function one_plugin(name,    list) {
    sub(/.*\//, "", name)
    list = named[key(name)]
    return list == "" || list ~ / / ? 0 : list
  }
  function compared_plugin(p, version,    path, v, found) {
    for (path in registered) {
      v = registered[path]
      if (owner[v] != p) continue
      found = path in other_version ? shown(other_version[path]) : number[v]
      if (version == "" || spelled(found) == spelled(version)) return ""
    }
    if (found == "") return tr("named like plugin {plugin}, which is not here", "plugin", plugin[p])
    return tr("named like plugin {plugin}, of which {version} is here", "plugin", plugin[p], "version", found)
  }
  # Whether a file has said something of one of these components. From now on it has.
  function is_repeated(file, list,    all, count, i, is) {
    count = split(list, all, " ")
    for (i = 1; i <= count; i++) { if ((file, all[i]) in is_said) is = 1; is_said[file, all[i]] = 1 }
    return is
  }
  function show_declared(    i, file, kind, name, version, list, text, all, p, same, total) {
    for (i = 1; i <= declarations; i++) {
      split(declared[i], field, "\t")
      file = field[1]; kind = field[2]; name = field[3]; version = field[4]
      list = kind == "thing" ? "" : meant(name, version)
      if (kind != "thing" && is_repeated(file, family) && kind == "variable") continue
      if (list != "") text = compared(list, version)
      else if (kind == "thing") text = "-"
      else if (kind != "repository") continue
      else if (family != "") {
        split(family, all, " ")
        text = and_also(tr("named like {component}", "component", slug[all[1]]), compared(family, version))
      }
      else text = (p = one_plugin(name)) ? compared_plugin(p, version) : tr("not known here")
      if (text == "") { same++; continue }
      if (!total++) { print ""; print tr("Said by files about the server, and not seen in what lies here:") }
      if (total > most && !files) continue
      name = shown(name) (version == "" ? "" : " " shown(version))
      print "  " tr("{name}, said by {file}", "name", name, "file", file) (text == "-" ? "" : "  (" text ")")
    }
    if (total > most && !files) show_rest(total)
    if (!same) return
    if (total) { print "  " tr("{n} more, as here", "n", same); return }
    print ""
    print tr("Said by files about the server: {n}, as here", "n", same)
  }

  # --- The report
  function show_rest(count) { print "  " tr("… and {n} more; --files shows all", "n", count - most) }
  function show(kind,    i) {
    if (!counts[kind]) return
    print ""
    print spoken(kind)
    for (i = 1; i <= counts[kind] && i <= most; i++) print lines[kind, i]
    if (counts[kind] > most) show_rest(counts[kind])
  }
  function show_components(    c, v, n, text, path, any) {
    print tr("Components:")
    for (c = 1; c <= components; c++) {
      if (!(c in chosen)) continue
      v = chosen[c]; any = 1
      text = ""
      if (state[v] == "held") text = "  (" tr("held: {reason}", "reason", shown(reason[v])) ")"
      else if (c in newest && newest[c] != v) text = "  (" tr("outdated: {version} is the newest", "version", number[newest[c]]) ")"
      n = number_of_files[c] + 0
      text = (n == 1 ? tr("1 file") : tr("{n} files", "n", n)) text
      printf "  %-28s %-16s %s\n", slug[c], number[v], text
    }
    for (n = 1; n <= presents; n++) {
      path = present_path[n]
      if (!(path in candidates)) continue
      any = 1
      text = names_of_candidates(path)
      if (!((path, present[path]) in same)) {
        text = tr("{file}: in the place of {components}, of no version that is known here", "file", path, "components", text)
      } else {
        text = tr("{file}: in the place of {components}; files of several versions, this one as in {version}", "file", path,
          "components", text, "version", names_of(same[path, present[path]]))
      }
      print "  " and_also(text, own_words(path))
    }
    if (!any) print "  " tr("none is known here")
  }
  # What it says of itself; that of a release it is not says more than its version.
  function own_words(path,    list, count, i, v, released) {
    if (!(path in own_name)) return ""
    count = split(at[path], list, " ")
    for (i = 1; i <= count; i++) if (is_version(own_version[path], list[i]) == 1) released = list[i]
    if (!released) return introduction(path)
    return tr("{introduction}, but is not the file of that release", "introduction", introduction(path))
  }
  function show_link(    c, i, p, names, plugin_names, query) {
    for (c = 1; c <= components; c++) {
      if (!selectable[c] || !(c in chosen || (c in is_there && is_first(c)))) continue
      names = names (names == "" ? "" : ",") slug[c] (pin && c in chosen ? "@" number[chosen[c]] : "")
      if (!(c in chosen)) guesses = guesses (guesses == "" ? "" : ", ") slug[c]
    }
    for (p = 1; p <= plugins && i < 100; p++) {
      if (!(p in in_link)) continue
      i++
      plugin_names = plugin_names (i == 1 ? "" : ",") plugin[p] (pin && in_link[p] != "" ? "@" in_link[p] : "")
    }
    print ""
    if (names == "" && plugin_names == "") { print tr("Nothing here is known to {service}.", "service", service); return }
    query = (names == "" ? "" : "?components=" names) (plugin_names == "" ? "" : (names == "" ? "?" : "&") "plugins=" plugin_names)
    gsub(/\+/, "%2B", query)
    if (pin) print tr("The same server in the server creator:")
    else print tr("The same server in the server creator, with the newest versions:")
    print "  " creator_url query
    if (guesses != "") print "  " tr("In place of files that are not known, it has {components}.", "components", guesses)
    if (link_plugins > 100) print "  " tr("Without {n} of the plugins: a selection has 100 at most.", "n", link_plugins - 100)
    print tr("To take the folder over, stop the server first. Edited configuration stays, with the new one beside it as .new; what is\nreplaced is kept in .goldsmith/original:")
    if (language != "en") query = query "&lang=" language
    print "  curl -fo update.sh " quoted(updater_url query)
    print "  sh update.sh --dry-run " target
    print "  sh update.sh " target
    if (unlists) {
      print tr("Then take these lines out of the lists in addons/amxmodx/configs, since plugins-svc.ini loads the plugins:")
      for (i = 1; i <= unlists && i <= most; i++) print "  " shown(unlisted[i])
    }
  }
  # Of several that have the same file only one can be installed: that with the line of versions that the file says it is
  # of, or else the first one that the catalog has.
  function is_first(c,    path, all) {
    for (path in candidates) {
      split(path in own_version ? of_line(candidates[path], own_version[path]) : candidates[path], all, " ")
      if (all[1] == c) return 1
    }
    return 0
  }
  function quoted(text) { gsub(/\047/, "\047\\\047\047", text); return "\047" text "\047" }

  FNR == 1 { part = FILENAME == before && part == 6 ? 7 : part + 1; before = FILENAME }
  part == 1 { learn() ; next }
  part == 2 { if ($0 != "-") { split($0, field, "\t"); recognize(field[1], field[2], field[3], field[4]) } ; next }
  part == 3 { if ($0 != "-") { split($0, field, "\t"); introduce(field[1], field[2], field[3]) } ; next }
  part == 4 { if ($0 != "-") declared[++declarations] = $0; next }
  part == 5 { loaded[$1] = 1; next }
  part == 6 { if (length($1) == 64) weigh(prefix substr($0, 69), substr($0, 1, 24)); next }
  !is_chosen { meet_binaries(); choose() }
  length($1) == 64 { name_file(prefix substr($0, 69), substr($0, 1, 24)) }
  function meet_binaries(    path) { for (path in registered) met[owner[registered[path]]] = 1 }

  END {
    if (!is_chosen) choose()
    if (files) print ""
    show_components()
    if (uses) {
      print ""
      print tr("Plugins:")
      for (i = 1; i <= uses && (files || i <= most); i++) print use_line[i]
      if (i <= uses) show_rest(uses)
    }
    show(N_("Edited configuration:"))
    show(N_("Lists that a build writes anew:"))
    if (counts["Lists that a build writes anew:"]) {
      print "  " tr("Add again what else they name. The former ones are then in .goldsmith/original.")
    }
    show(N_("Changed:"))
    show(N_("Other versions:"))
    show(N_("Of a version that is not known:"))
    show(N_("Parts of what is not installed:"))
    show(N_("Unknown plugins:"))
    show(N_("Plugins that may be known by their file name alone:"))
    show(N_("Unknown:"))
    if (rest_of_files) {
      print ""
      print tr("Other files, such as maps and models: {n}", "n", rest_of_files)
      while (top_count-- > -1) {
        most_of = ""
        for (top in tops) if (most_of == "" || tops[top] > tops[most_of] || (tops[top] == tops[most_of] && top < most_of)) most_of = top
        if (most_of == "") break
        print "  " shown(most_of) "  " tops[most_of]
        delete tops[most_of]
      }
    }
    if (notes != "") { print ""; print tr("Not looked at:"); printf "%s", notes }
    show_declared()
    show_link()
  }'

# Awk takes a backslash in the value of a variable for an escape: those of the environment stay as they are.
report() {
  for input in registered introduced files; do
    [ -s "$scratch/$input" ] || write_line - >"$scratch/$input"
  done
  large=$(count <"$scratch/large")
  notes=$(
    [ "$links" -eq 0 ] || say '  {n} links: none is followed' n="$links"
    [ "$others" -eq 0 ] || say '  {n} devices, pipes and the like' n="$others"
    [ "$odd" -eq 0 ] || say '  {n} names with control characters or a backslash, with what is below them' n="$odd"
    [ "$unread" -eq 0 ] || say '  {n} that may not be read, or are gone' n="$unread"
    [ "$large" -eq 0 ] || say '  {n} files of more than {bytes} bytes, which none that is known has' n="$large" bytes="$largest"
    [ "$libraries" -le $most_libraries ] || say '  libraries: only {n} of those that are not known are opened' n="$most_libraries"
    case $unopened in
      gzip) say '  compiled plugins: gzip is not installed, so that their file names alone say what they may be' ;;
      many) say '  compiled plugins: only {n} compiled plugins are opened, so that their file names alone say what they may be' n="$most_plugins" ;;
    esac
  )
  [ -z "$notes" ] || notes="$notes
"
  [ "$unread" -eq 0 ] || notes="$notes$(head -n 5 "$scratch/errors" | tr -d '\000-\010\013-\037\177' | sed 's/^/    /')
"
  if [ -n "$prefix" ]; then
    translate 'THE FOLDER WITH cstrike'
    target=$text
  else
    target=$(quoted "$root" | tr '\000-\037\177' '?')
  fi
  KNOWN_NOTES=$notes KNOWN_TARGET=$target TRANSLATIONS=$awk_translations awk -v files="$files" -v pin="$pin" \
    -v prefix="$prefix" -v most="$most_listed" -v service="$service" -v creator_url="$creator_url" -v updater_url="$updater_url" \
    -v language="$language" "$speak"'
    BEGIN { notes = ENVIRON["KNOWN_NOTES"]; target = ENVIRON["KNOWN_TARGET"] }'"$judge" \
    "$scratch/known" "$scratch/registered" "$scratch/introduced" "$scratch/declared" "$scratch/loaded" "$scratch/files" "$scratch/files"
}

quoted() { # TEXT
  printf "'"
  printf '%s' "$1" | sed "s/'/'\\\\''/g"
  printf "'"
}
