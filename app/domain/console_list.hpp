// The lists that a game server prints on its console when it is asked what it loaded: `meta list`,
// `amxx modules` and `amxx plugins`; and what it says of its versions.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::domain {

// A row of a list of the console, which cuts what does not fit its columns. All texts are
// base::is_printable(), of at most 300 bytes.
struct Listed {
  std::string name;
  std::string version;
  std::string file;             // "" in the list of modules
  std::string state;            // in lower case
  std::string author = {};      // "" in Metamod's list
  bool is_cut = false;          // `file` may be the beginning of a longer name: it fills its column
  bool is_version_cut = false;  // so may `version`

  bool may_be(std::string_view whole) const;
};

enum class ListKind { metamod, modules, plugins };

// By the columns that a line names; std::nullopt if it is the header of none of them.
std::optional<ListKind> list_headed(std::string_view line);

// Reads the lines of one list, any bytes. The first that begins with five spaces is its header. It
// has at most 1,000 rows, which follow each other by their numbers.
class ListReader {
 public:
  explicit ListReader(ListKind kind);
  ListReader(const ListReader&) = delete;
  ListReader& operator=(const ListReader&) = delete;

  // Without the end of the line.
  void read(std::string_view line);

  const std::vector<Listed>& rows() const { return rows_; }

  struct Reason {
    std::size_t row = 0;
    std::string text;
  };
  // Why rows have their state, where the list says so once. To be called when it is read: rows and
  // reasons may be in any order.
  std::vector<Reason> reasons() const;

 private:
  struct Column {
    std::string_view name;
    std::size_t begin = 0;
  };
  // The names of the columns for the fields of Listed; "" = it has none.
  struct Names {
    std::string_view name;
    std::string_view version;
    std::string_view file;
    std::string_view state;
    std::string_view author;
  };
  struct Said {
    std::string_view state;
    std::string text;
    std::size_t count = 0;
  };

  static Names names_of(ListKind kind);
  void read_header(std::string_view line);
  void read_reason(std::string_view line);
  void read_row(std::string_view line);
  std::string_view cell(std::string_view line, std::string_view name) const;

  Names names_;
  std::string header_;
  std::vector<Column> columns_;  // of header_
  std::vector<Listed> rows_;
  std::map<std::size_t, Said> said_;  // by row
};

// "ReHLDS 3.14.0.857-dev", of a line that says the version of the engine or of the game's library;
// std::nullopt for any other line.
struct SaidVersion {
  enum class Of { engine, game } of = Of::engine;
  bool is_plain = false;  // the engine's own line, which says less than that of ReHLDS
  std::string text;
};
std::optional<SaidVersion> said_version(std::string_view line);

}  // namespace goldsmith::domain
