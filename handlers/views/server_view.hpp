// The server creator's catalog, plans and errors as JSON.
#pragma once

#include "app/base/json.hpp"
#include "app/creator/archive_digests.hpp"
#include "app/creator/plan.hpp"
#include "app/creator/selection.hpp"
#include "app/creator/server_builds.hpp"
#include "app/domain/component.hpp"
#include "handlers/comparison.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers::views {

// An item of the catalog: with `detail_url`, without the manifests' files.
json::Object catalog_component(const domain::Component& component, const domain::Catalog& catalog,
                               const Urls& urls);
// The detail response: each version with its files, without `detail_url` (decision S15).
json::Object component_detail(const domain::Component& component, const domain::Catalog& catalog);
json::Object layer(const domain::LayerInfo& layer);
json::Object plan(const creator::Plan& plan, const creator::ArchiveDigests::Archive& archive,
                  const Urls& urls);
json::Object comparison(const ComparedServers& compared, const Urls& urls);
json::Object preview(const creator::PlannedFile& file, creator::Preview preview);
// The arrays of `invalid_selection`, only those that are not empty.
json::Object invalid_selection(const creator::InvalidSelection& invalid);

}  // namespace goldsmith::handlers::views
