// Writes what is generated from the tables of commands; a tool of the build, not installed.
//   goldsmith-reference man TEMPLATE         goldsmith(1), made of its template
//   goldsmith-reference completion TEMPLATE  the completion for bash: its words, then the template
#include <exception>
#include <iostream>
#include <string_view>

#include "app/base/file.hpp"
#include "app/cli/help.hpp"

int main(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[1] : "";
  try {
    if (what == "man") {
      std::cout << goldsmith::cli::fill_man_page(goldsmith::base::read_file(argv[2]));
    } else if (what == "completion") {
      std::cout << goldsmith::cli::completion_words() << goldsmith::base::read_file(argv[2]);
    } else {
      std::cerr << "usage: goldsmith-reference man|completion TEMPLATE\n";
      return 2;
    }
    if (!std::cout.flush()) throw std::runtime_error("standard output can't be written");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "goldsmith-reference: " << error.what() << '\n';
    return 1;
  }
}
