// What reads the files of plugins' authors for commands, in the sandbox (decision O19).
#pragma once

#include "app/base/config.hpp"
#include "app/compile/sandboxed_texts.hpp"
#include "app/domain/manifest.hpp"
#include "app/pawn/text_reader.hpp"

namespace goldsmith::scan {

// For `plugin import`. `limits` apply as to archives of components; a plugin's may unpack to 64 MB
// in 10,000 files. What the tools throw is mirror::RefusedArchive, mirror::UnpackError, what a
// compile::text_reader() throws, base::FileError and base::Interrupted.
domain::PluginTools plugin_tools(const base::MirrorConfig& limits,
                                 pawn::TextReader texts = compile::text_reader());

}  // namespace goldsmith::scan
