// A server's folder that is read by somebody who can't be waited for, as a browser: what is needed
// of a file is asked for, and the answer handed over (decision S32). The result is that of
// read_folder().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/message.hpp"
#include "app/owner/folder_facts.hpp"
#include "app/owner/gathering.hpp"
#include "app/owner/known_files.hpp"
#include "app/owner/server_place.hpp"

namespace goldsmith::owner {

class NamedFolder : private FolderNames {
 public:
  enum class Wanted {
    nothing,          // the folder is read
    digest,           // the SHA-256 of a file, in hex
    beginning,        // the first `most` bytes of a file
    digest_of_bytes,  // the SHA-256 of `bytes`, in hex
    inflated          // what zlib makes of `bytes`, at most `most`; fewer if they are damaged
  };
  struct Request {
    Wanted wanted = Wanted::nothing;
    std::size_t file = 0;  // as numbered by add()
    std::size_t most = 0;
    std::string bytes = {};
  };

  // A regular file in the folder, by its relative path. They are numbered from 0. Precondition:
  // begin() was not called.
  void add(std::string path, std::uint64_t size);

  // Looks for the server; false, and `problem` says why there is none. `folder`: what the folder is
  // called. `known` outlives this object.
  bool begin(const KnownFiles& known, const std::string& folder, base::Message& problem);

  const Request& request() const { return request_; }
  // The answer to request(); "" for what can't be read.
  void give(std::string answer);

  // Precondition: nothing is requested any more.
  const FolderFacts& facts() const { return facts_; }

 private:
  struct Named {
    std::string path;
    std::uint64_t size = 0;
  };
  using Then = std::function<void(std::string answer)>;

  bool has_folder(std::string_view path) const override { return folders_.contains(path); }
  bool has_file(std::string_view path) const override { return numbers_.contains(path); }
  std::vector<std::string> folders_in(std::string_view path) const override;

  void sort_files();
  bool is_looked_at(const Named& file);
  std::string on_server(std::string_view path) const;

  void ask(Request request, Then then);
  void read_next_file();
  void take_digest(std::size_t number, std::string digest);
  void try_other_ends(std::size_t number, std::vector<std::string> texts);
  void open_unknown(std::size_t number);
  void open_plugin(std::size_t number, const std::string& file);
  void keep(std::size_t number);

  void read_texts();
  void find_linux_gsm();
  void find_loaded();
  void find_declarations();
  std::optional<std::string> place_of(std::string_view path) const;
  std::string text_at(const std::string& path);
  std::string text_on_server(std::string_view path);
  std::vector<std::string> names_on_server(std::string_view folder) const;

  const KnownFiles* known_ = nullptr;
  std::vector<Named> named_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
  std::set<std::string, std::less<>> folders_;
  std::string root_;                 // of the server: "" or with a slash at its end
  std::string prefix_;               // what is missing before paths in it: "" or "cstrike/"
  std::optional<std::string> home_;  // of LinuxGSM: "" or with a slash at its end

  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
  std::string digest_;  // of the file that is read
  std::set<std::string, std::less<>> odd_;
  Openings openings_;

  std::map<std::string, std::string, std::less<>> texts_;  // that were read, by path
  Request request_;
  Then then_;
  FolderFacts facts_;
};

}  // namespace goldsmith::owner
