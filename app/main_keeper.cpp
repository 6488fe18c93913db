#include <string>
#include <vector>

#include "app/owner/program.hpp"

int main(int argc, char** argv) {
  return goldsmith::owner::run_program(std::vector<std::string>(argv + 1, argv + argc));
}
