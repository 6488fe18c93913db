#include "app/pawn/words.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace goldsmith::pawn {
namespace {

constexpr std::string_view kLevels =
    "ADMIN_IMMUNITY=a ADMIN_RESERVATION=b ADMIN_KICK=c ADMIN_BAN=d ADMIN_SLAY=e ADMIN_MAP=f "
    "ADMIN_CVAR=g ADMIN_CFG=h ADMIN_CHAT=i ADMIN_VOTE=j ADMIN_PASSWORD=k ADMIN_RCON=l "
    "ADMIN_LEVEL_A=m ADMIN_LEVEL_B=n ADMIN_LEVEL_C=o ADMIN_LEVEL_D=p ADMIN_LEVEL_E=q "
    "ADMIN_LEVEL_F=r ADMIN_LEVEL_G=s ADMIN_LEVEL_H=t ADMIN_MENU=u ADMIN_BAN_TEMP=v ADMIN_ADMIN=y "
    "ADMIN_USER=z FCVAR_ARCHIVE=a FCVAR_USERINFO=b FCVAR_SERVER=c FCVAR_EXTDLL=d FCVAR_CLIENTDLL=e "
    "FCVAR_PROTECTED=f FCVAR_SPONLY=g FCVAR_PRINTABLEONLY=h FCVAR_UNLOGGED=i "
    "FCVAR_NOEXTRAWHITEPACE=j";

// WordSet that end with an underscore are the beginnings of others.
constexpr std::string_view kCalled = "inconsistent_file plugin_ client_ server_ pfn_";

constexpr std::string_view kCommands =
    "+attack +use -attack -use ak47 aug autobuy awp becomespec bullpup buy buyammo1 buyammo2 "
    "buyequip buymenu cheer chooseteam cl_autobuy cl_rebuy cl_setautobuy cl_setrebuy clarion "
    "client_buy_open coverme cv47 d3au1 deagle defender defuser drop elites enemydown enemyspot "
    "fallback famas flash flashbang fn57 follow followme fullupdate g3sg1 galil getinpos getout "
    "glock hegren holdpos impulse inposition joinclass jointeam jump kill km45 krieg550 lastinv "
    "m249 m3 m4a1 mac10 magnum menuselect messagemode mp mp5 needbackup negative nightvision nvgs "
    "p228 p90 primammo radio1 radio2 radio3 rebuy regroup reportingin roger say say_team "
    "scout secammo sectorclear setpause sg550 sg552 sgren shield showbriefing specmode spectate "
    "sticktog stormfront takepoint takingfire tmp usp vest vesthelm xm1014";

constexpr std::string_view kReaders =
    "ArrayFindString ArrayPushString EF_SetModel TrieGetCell TrieKeyExists TrieSetCell "
    "TrieSetString charsmax client_cmd client_print client_print_color console_print contain "
    "containi copy create_cvar cs_set_user_model cvar_exists dllfunc emit_sound engfunc "
    "entity_set_model entity_set_string equal equali file_exists filesize fmt fopen format "
    "formatex if is_module_loaded log_amx log_error log_message log_to_file register_cvar "
    "rg_set_user_model server_cmd server_print set_fail_state set_entvar set_msg_arg_string "
    "set_pev set_pev_string sizeof str_to_num strcat strcmp strlen write_string fm_set_user_model "
    "fm_entity_set_model rh_emit_sound2 "
    "register_clcmd register_concmd register_srvcmd cmd_access access while switch return";

constexpr std::string_view kElsewhere =
    "license licence gnu.org fsf.org opensource.org apache.org mozilla.org amxmodx.org "
    "creativecommons.org steamcommunity.com /member /profile /user facebook.com paypal donat "
    "discord //t.me/ vk.com youtu imgur search.php funcwiki /download attachment mediafire "
    "dropbox maxmind game-monitor pastebin sendspace rapidshare";

constexpr std::string_view kFiles =
    ".zip .rar .7z .gz .sma .amxx .inc .txt .exe .png .jpg .gif .wav .mp3";

constexpr std::array<Writer, 6> kWriters{{{"format", Writer::Form::format, 0, 2},
                                          {"formatex", Writer::Form::format, 0, 2},
                                          {"copy", Writer::Form::copy, 0, 2},
                                          {"add", Writer::Form::append, 0, 2},
                                          {"strcat", Writer::Form::append, 0, 1},
                                          {"ArrayGetString", Writer::Form::element, 2, 0}}};

using Kind = FolderCall::Kind;
constexpr std::array<FolderCall, 13> kFolderCalls{{{"get_configsdir", Kind::configuration, 0},
                                                   {"get_datadir", Kind::data, 0},
                                                   {"get_localinfo", Kind::local, 1},
                                                   {"format", Kind::format, 2},
                                                   {"formatex", Kind::format, 2},
                                                   {"fmt", Kind::format, 0},
                                                   {"add", Kind::append, 2},
                                                   {"register_dictionary", Kind::dictionary, 0},
                                                   {"show_motd", Kind::game, 1},
                                                   {"fopen", Kind::game, 0},
                                                   {"file_exists", Kind::game, 0},
                                                   {"read_file", Kind::game, 0},
                                                   {"precache_generic", Kind::game, 0}}};

using WordSet = std::unordered_set<std::string_view>;

std::vector<std::string_view> split_words(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    words.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

WordSet set_of(std::string_view list) {
  const std::vector<std::string_view> words = split_words(list);
  return {words.begin(), words.end()};
}

template <typename Entries>
auto* entry_of(const Entries& entries, std::string_view function) {
  const auto found =
      std::ranges::find(entries, function, [](const auto& entry) { return entry.function; });
  return found == entries.end() ? nullptr : &*found;
}

std::unordered_map<std::string_view, std::int32_t> levels() {
  std::unordered_map<std::string_view, std::int32_t> levels{{"ADMIN_ALL", 0}, {"FCVAR_NONE", 0}};
  for (const std::string_view level : split_words(kLevels)) {
    const std::size_t equals = level.find('=');
    levels.emplace(level.substr(0, equals), 1 << (level[equals + 1] - 'a'));
  }
  return levels;
}

}  // namespace

std::optional<std::int32_t> platform_constant(std::string_view word) {
  static const auto all = levels();
  const auto found = all.find(word);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

bool is_command_of_game(std::string_view name) {
  static const WordSet all = set_of(kCommands);
  return all.contains(name) || name.starts_with("weapon_");
}

bool only_reads(std::string_view function) {
  static const WordSet all = set_of(kReaders);
  return all.contains(function) || precaches(function).has_value();
}

bool is_called_by_platform(std::string_view function) {
  static const std::vector<std::string_view> all = split_words(kCalled);
  return std::ranges::any_of(all, [&](std::string_view word) {
    return word.ends_with('_') ? function.starts_with(word) : function == word;
  });
}

bool is_elsewhere(std::string_view url) {
  static const std::vector<std::string_view> parts = split_words(kElsewhere);
  static const std::vector<std::string_view> endings = split_words(kFiles);
  const std::string_view path = url.substr(0, url.find_first_of("?#"));
  return std::ranges::any_of(parts, [&](auto part) { return url.find(part) != url.npos; }) ||
         std::ranges::any_of(endings, [&](auto ending) { return path.ends_with(ending); });
}

const Writer* writer_of(std::string_view function, std::size_t target) {
  const Writer* const writer = entry_of(kWriters, function);
  return writer != nullptr && writer->target == target ? writer : nullptr;
}

std::optional<ResourceKind> precaches(std::string_view word) {
  constexpr std::array<std::string_view, 3> kBefore{"precache_", "EngFunc_Precache", "EF_Precache"};
  for (const std::string_view before : kBefore) {
    if (!word.starts_with(before)) continue;
    std::string_view what = word.substr(before.size());
    const bool is_lower = before.ends_with('_');
    if (what == (is_lower ? "model" : "Model")) return ResourceKind::model;
    if (what == (is_lower ? "sound" : "Sound")) return ResourceKind::sound;
    if (what == (is_lower ? "generic" : "Generic")) return ResourceKind::generic;
  }
  return std::nullopt;
}

const FolderCall* folder_call(std::string_view function) {
  return entry_of(kFolderCalls, function);
}

}  // namespace goldsmith::pawn
