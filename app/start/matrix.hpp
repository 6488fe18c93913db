// Which versions of two components run together: the recommended server is started with each pair.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/domain/component.hpp"
#include "app/start/host.hpp"

namespace goldsmith::start {

// What became of one pair.
struct Pair {
  std::string a;
  std::string b;
  std::string cause = {};                          // why it could not be tried; "" = it was
  std::map<std::string, std::string> faults = {};  // what does not run: its first message

  bool runs() const { return cause.empty() && faults.empty(); }
};

struct Matrix {
  // Ascending, of the components.
  std::vector<const domain::ComponentVersion*> rows;
  std::vector<const domain::ComponentVersion*> columns;
  std::vector<Pair> pairs;  // row by row
};

// Starts each pair of the `newest` versions of two components, whatever their rules say of each
// other; the other components of the server are as the rules of `a` want them. Small plugins try
// what the two offer. What fails in every pair is left out: it says nothing about one. The
// components must outlive the result; `tell` is told how many pairs were started of how many.
// Throws Unavailable if this host can start nothing, Unbuildable where there is no server with a
// version of `a`, base::FileError, base::Interrupted and db::Error.
Matrix start_pairs(const domain::Component& a, const domain::Component& b, std::size_t newest,
                   const Host& host,
                   const std::function<void(std::size_t done, std::size_t total)>& tell);

}  // namespace goldsmith::start
