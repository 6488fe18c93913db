# The digest of goldsmith-keeper as a C++ source.
file(SHA256 ${PROGRAM} digest)
file(WRITE ${OUTPUT} "// Made by the build.
#include \"handlers/documents/documents.hpp\"

namespace goldsmith::handlers::documents {

std::string_view keeper_digest() { return \"${digest}\"; }

}  // namespace goldsmith::handlers::documents
")
