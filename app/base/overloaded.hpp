// Matching a std::variant by its alternatives:
//
//   std::visit(base::overloaded{[](const File& file) { … }, [](const NotFound&) { … }}, outcome);
//
// An alternative that no lambda accepts does not compile.
#pragma once

namespace goldsmith::base {

template <typename... Visitors>
struct overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
overloaded(Visitors...) -> overloaded<Visitors...>;

}  // namespace goldsmith::base
