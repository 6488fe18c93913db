#include "app/compile/sandboxed_texts.hpp"

#include <memory>

#include "app/host/sandboxed_reader.hpp"

namespace goldsmith::compile {

pawn::TextReader text_reader() {
  const auto conversation = std::make_shared<host::Conversation>();
  return pawn::TextReader(
      [conversation](const pawn::TextQuestion& question) { return conversation->ask(question); });
}

}  // namespace goldsmith::compile
