#include "app/owner/report.hpp"

#include <algorithm>
#include <functional>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/owner/shown.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;
using base::N_;

struct KindText {
  std::string_view id;
  std::string_view heading;
};
constexpr std::array<KindText, kFileKinds> kKindTexts{{
    {"known", ""},
    {"edited", N_("Edited configuration:")},
    {"configuration", N_("Configuration that is looked for in several places:")},
    {"written", N_("Files that a build writes anew:")},
    {"changed", N_("Changed:")},
    {"other_version", N_("Other versions:")},
    {"unknown_version", N_("Of a version that is not known:")},
    {"part", N_("Parts of what is not installed:")},
    {"unknown_plugin", N_("Unknown plugins:")},
    {"named_plugin", N_("Plugins that may be known by their file name alone:")},
    {"unknown", N_("Unknown:")},
}};

class Text {
 public:
  Text(const Report& report, const ReportStyle& style) : report_(report), style_(style) {}

  std::string write() {
    if (style_.shows_files) write_files();
    write_components();
    write_plugins();
    for (std::size_t kind = 1; kind < kFileKinds; ++kind) write_kind(static_cast<FileKind>(kind));
    write_rest();
    if (!report_.not_looked_at.empty()) {
      blank();
      say(Message("Not looked at:", {}));
      for (const Message& each : report_.not_looked_at) say(each);
    }
    write_declared();
    write_link();
    return std::move(text_);
  }

 private:
  std::string in(const Message& message) const { return message.in(style_.translate); }
  void line(std::string_view text) { text_.append(text).append("\n"); }
  void say(const Message& message) { line(in(message)); }
  void blank() { line(""); }

  // "  (REMARK)"
  std::string behind(const Message& remark) const {
    return remark.empty() ? "" : "  (" + in(remark) + ")";
  }

  void say_rest(std::uint64_t count) {
    line("  " + in(Message("… and {n} more; --files shows all",
                           {{"n", std::to_string(count - kMostListed)}})));
  }

  void write_files() {
    for (const auto& files : report_.files) write_each(files);
    write_each(report_.rest_files);
    blank();
  }

  void write_each(const std::vector<ReportedFile>& files) {
    for (const ReportedFile& file : files) {
      const std::string_view heading = heading_of(file.kind);
      const std::string kind = heading.empty() ? "" : style_.translate(heading) + " ";
      line(kind + in(file.what) + "\t" + file.path);
    }
  }

  void write_components() {
    say(Message("Components:", {}));
    for (const ReportedComponent& each : report_.components) {
      const Message files = each.files == 1
                                ? Message("1 file", {})
                                : Message("{n} files", {{"n", std::to_string(each.files)}});
      line(fmt::format("  {:<28} {:<16} {}{}", each.slug, each.version, in(files),
                       behind(each.remark)));
    }
    for (const ReportedFile& each : report_.places) line("  " + in(each.what));
    if (report_.components.empty() && report_.places.empty()) {
      line("  " + in(Message("none is known here", {})));
    }
  }

  void write_plugins() {
    const auto& plugins = report_.plugins;
    if (plugins.empty()) return;
    blank();
    say(Message("Plugins:", {}));
    const std::size_t most = style_.shows_files ? plugins.size() : kMostListed;
    for (std::size_t i = 0; i < std::min(plugins.size(), most); ++i) {
      const ReportedPlugin& each = plugins[i];
      line(fmt::format("  {:<28} {:<12} {}{}", each.slug,
                       in(each.version) + (each.is_known_version ? "" : "?"), each.file,
                       behind(each.remark)));
    }
    if (plugins.size() > most) say_rest(plugins.size());
  }

  void write_kind(FileKind kind) {
    const auto number = static_cast<std::size_t>(kind);
    if (report_.counts[number] == 0) return;
    blank();
    line(style_.translate(heading_of(kind)));
    const auto& files = report_.files[number];
    for (std::size_t i = 0; i < std::min(files.size(), kMostListed); ++i) {
      line("  " + files[i].path + behind(files[i].what));
    }
    if (report_.counts[number] > kMostListed) say_rest(report_.counts[number]);
    if (kind == FileKind::written) {
      line("  " + in(Message("The former ones are then in .goldsmith/original.", {})));
    }
  }

  void write_rest() {
    if (report_.rest == 0) return;
    blank();
    say(Message("Other files, such as maps and models: {n}",
                {{"n", std::to_string(report_.rest)}}));
    for (const auto& [folder, count] : report_.rest_folders) {
      const std::string name = folder.empty() ? in(Message("elsewhere", {})) : folder;
      line("  " + name + "  " + std::to_string(count));
    }
  }

  void write_declared() {
    const auto& declared = report_.declared;
    if (!declared.empty()) {
      blank();
      say(Message("Said by files about the server, and not seen in what lies here:", {}));
    }
    const std::size_t most = style_.shows_files ? declared.size() : kMostListed;
    for (std::size_t i = 0; i < std::min(declared.size(), most); ++i) line("  " + in(declared[i]));
    if (declared.size() > most) say_rest(declared.size());
    if (report_.agreeing == 0) return;
    const std::string count = std::to_string(report_.agreeing);
    if (!declared.empty()) {
      line("  " + in(Message("{n} more, as here", {{"n", count}})));
      return;
    }
    blank();
    say(Message("Said by files about the server: {n}, as here", {{"n", count}}));
  }

  void write_link() {
    const ReportedLink& link = report_.link;
    blank();
    for (const Message& each : link.now) {
      say(Message("As it is now: {reason}", {{"reason", each}}));
    }
    if (link.query.empty() && link.whole.empty()) {
      say(Message("Nothing here is known to {service}.", {{"service", style_.service}}));
      return;
    }
    if (!link.query.empty()) {
      write_selection(link.is_pinned ? Message("The same server in the server creator:", {})
                                     : Message("The same server in the server creator, with the "
                                               "newest versions:",
                                               {}),
                      link.query);
      write_details();
    }
    if (!link.stays.empty()) {
      say(Message("Not in it, because yours stays as it is: {components}.",
                  {{"components", base::join(link.stays, ", ")}}));
    }
    if (!link.stays_with.empty()) {
      say(Message("What needs that stays, too: {components}.",
                  {{"components", base::join(link.stays_with, ", ")}}));
    }
    if (link.problems.empty()) {
      if (!link.query.empty()) write_commands();
    } else {
      say(Message("The service would refuse this selection as it is:", {}));
      for (const Message& each : link.problems) line("  " + in(each));
    }
    if (!link.whole.empty()) {
      write_selection(link.stays.empty()
                          ? Message("This goes together:", {})
                          : Message("The same with what is here in place of what stays:", {}),
                      link.whole);
    } else if (!link.problems.empty()) {
      say(Message("The page of the link says what completes it, and has the commands then.", {}));
    }
  }

  void write_selection(const Message& heading, const std::string& query) {
    say(heading);
    line("  " + style_.service + "/server?" + query);
  }

  void write_details() {
    const ReportedLink& link = report_.link;
    if (!link.guesses.empty()) {
      line("  " + in(Message("In place of files that are not known, it has {components}.",
                             {{"components", base::join(link.guesses, ", ")}})));
    }
    if (link.left_out > 0) {
      line("  " + in(Message("Without {n} of the plugins: a selection has 100 at most.",
                             {{"n", std::to_string(link.left_out)}})));
    }
  }

  void write_commands() {
    say(Message(
        "To take the folder over, stop the server first. Edited configuration stays, with the new "
        "one beside it as .new; what is\nreplaced is kept in .goldsmith/original:",
        {}));
    std::string address = style_.service + "/server/update.sh?" + report_.link.query;
    if (style_.language != "en") address.append("&lang=").append(style_.language);
    line("  curl -fo update.sh " + quoted_for_shell(address));
    line("  sh update.sh --dry-run " + style_.folder);
    line("  sh update.sh " + style_.folder);
    const ReportedLink& link = report_.link;
    for (const auto& [list, text] : link.lines) {
      say(Message("Then let {list} load what it loads now, in place of its own:",
                  {{"list", list}}));
      line("  " + text);
    }
    for (const std::string& each : link.overrides) {
      say(Message("{file} says what is loaded, whatever a build has: take that out.",
                  {{"file", each}}));
    }
    const auto& unlisted = report_.link.unlisted;
    if (unlisted.empty()) return;
    say(
        Message("Then take these lines out of the lists in addons/amxmodx/configs, since "
                "plugins-svc.ini loads the plugins:",
                {}));
    for (std::size_t i = 0; i < std::min(unlisted.size(), kMostListed); ++i) {
      line("  " + unlisted[i]);
    }
  }

  const Report& report_;
  const ReportStyle& style_;
  std::string text_;
};

}  // namespace

std::string_view id_of(FileKind kind) { return kKindTexts[static_cast<std::size_t>(kind)].id; }
std::string_view heading_of(FileKind kind) {
  return kKindTexts[static_cast<std::size_t>(kind)].heading;
}

std::string quoted_for_shell(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted.append(c == '\'' ? "'\\''" : std::string(1, c));
  return quoted + "'";
}

Message and_also(Message text, Message more) {
  if (text.empty()) return more;
  if (more.empty()) return text;
  constexpr std::string_view kBoth = "{text}; {more}";  // nothing to translate
  return Message(kBoth, {{"text", std::move(text)}, {"more", std::move(more)}});
}

std::string report_text(const Report& report, const ReportStyle& style) {
  return shown(Text(report, style).write(), "\n\t");  // what the list says, too
}

json::Value report_json(const Report& report, const ReportStyle& style) {
  const auto told = [&](const Message& message) { return message.in(style.translate); };
  const auto all_told = [&](const std::vector<Message>& messages) {
    return json::array_of(messages, told);
  };
  json::Array components = json::array_of(report.components, [&](const ReportedComponent& each) {
    return json::Object{{"component", each.slug},     {"name", each.name},
                        {"version", each.version},    {"state", each.state},
                        {"files", each.files},        {"loaded", each.is_loaded},
                        {"remark", told(each.remark)}};
  });
  json::Array plugins = json::array_of(report.plugins, [&](const ReportedPlugin& each) {
    return json::Object{{"plugin", each.slug},
                        {"name", each.name},
                        {"version", told(each.version)},
                        {"known", each.is_known_version},
                        {"file", each.file},
                        {"loaded", each.is_loaded},
                        {"remark", told(each.remark)}};
  });
  json::Array files;
  json::Object counts;
  for (std::size_t kind = 0; kind < kFileKinds; ++kind) {
    counts[std::string(id_of(static_cast<FileKind>(kind)))] = report.counts[kind];
    for (const ReportedFile& each : report.files[kind]) {
      files.emplace_back(
          json::Object{{"path", each.path}, {"kind", id_of(each.kind)}, {"what", told(each.what)}});
    }
  }
  json::Array places = json::array_of(report.places, [&](const ReportedFile& each) {
    return json::Object{{"path", each.path}, {"what", told(each.what)}};
  });
  json::Array settings = json::array_of(report.settings, [](const ReportedSetting& each) {
    return json::Object{
        {"path", each.path}, {"component", each.component}, {"counts", each.counts}};
  });
  const ReportedLink& link = report.link;
  const auto address = [&](const std::string& query) {
    return query.empty() ? json::Value() : json::Value(style.service + "/server?" + query);
  };
  json::Array lines = json::array_of(link.lines, [](const auto& each) {
    return json::Object{{"list", each.first}, {"line", each.second}};
  });
  const std::identity as_text;
  return json::Object{{"components", std::move(components)},
                      {"places", std::move(places)},
                      {"plugins", std::move(plugins)},
                      {"files", std::move(files)},
                      {"counts", std::move(counts)},
                      {"other_files", report.rest},
                      {"not_looked_at", all_told(report.not_looked_at)},
                      {"declared", all_told(report.declared)},
                      {"configuration", std::move(settings)},
                      {"link", address(link.query)},
                      {"whole", address(link.whole)},
                      {"stays", json::array_of(link.stays, as_text)},
                      {"stays_with", json::array_of(link.stays_with, as_text)},
                      {"now", all_told(link.now)},
                      {"lines", std::move(lines)},
                      {"overrides", json::array_of(link.overrides, as_text)},
                      {"problems", all_told(link.problems)},
                      {"guesses", json::array_of(link.guesses, as_text)},
                      {"unlist", json::array_of(link.unlisted, as_text)}};
}

}  // namespace goldsmith::owner
