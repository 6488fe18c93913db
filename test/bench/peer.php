<?php
// The reads of the API as a host with nginx, PHP-FPM and MariaDB would write them: the same JSON, no limits.
// With APCu a finished body serves for two seconds.

const SITE = 'https://goldsmith.example';
const SUMMARY = 'p.slug, p.name, p.category, p.author, p.license, p.latest_version, p.rating_sum, p.rating_count,'
    . ' p.downloads + COALESCE(c.downloads, 0) AS downloads, p.updated_at';
const TABLES = " FROM plugins p LEFT JOIN plugin_counters c ON c.slug = p.slug WHERE p.status = 'published'";

function rows(string $sql, string $types = '', mixed ...$values): array {
    static $database;
    $database ??= new mysqli('p:localhost', 'peer', 'peer', 'goldsmith', null, $_SERVER['PEER_DATABASE']);
    $statement = $database->prepare($sql);
    if ($types !== '') $statement->bind_param($types, ...$values);
    $statement->execute();
    return $statement->get_result()->fetch_all(MYSQLI_ASSOC);
}

function summary(array $row): array {
    $count = $row['rating_count'];
    return ['author' => $row['author'], 'category' => $row['category'], 'detail_url' => SITE . "/v1/plugins/$row[slug]",
        'downloads' => $row['downloads'], 'latest_version' => $row['latest_version'], 'license' => $row['license'],
        'name' => $row['name'], 'page_url' => SITE . "/plugins/$row[slug]",
        'rating' => ['avg' => $count ? round($row['rating_sum'] / $count, 2) : 0, 'count' => $count],
        'slug' => $row['slug'], 'updated_at' => $row['updated_at']];
}

function page(): array {
    $number = max(1, (int) ($_GET['page_n'] ?? 1));
    $text = strtolower($_GET['q'] ?? '');
    $where = $text === '' ? '' : ' AND p.search_text LIKE ?';
    $values = $text === '' ? [] : ['%' . addcslashes($text, '%_\\') . '%'];
    $types = str_repeat('s', count($values));
    $total = rows('SELECT COUNT(*) AS total FROM plugins p WHERE p.status = \'published\'' . $where, $types, ...$values)[0]['total'];
    $plugins = rows('SELECT ' . SUMMARY . TABLES . $where . ' ORDER BY p.downloads DESC, p.slug LIMIT 24 OFFSET ?',
        $types . 'i', ...[...$values, ($number - 1) * 24]);
    return ['page' => $number, 'per_page' => 24, 'plugins' => array_map(summary(...), $plugins), 'status' => true,
        'total' => $total, 'total_pages' => intdiv($total + 23, 24)];
}

function versions(array $plugin): array {
    $versions = [];
    foreach (rows('SELECT v.version, v.created_at, f.filename, f.install_dir, f.kind, f.is_primary, f.sha1, f.size_bytes'
        . ' FROM plugin_versions v LEFT JOIN plugin_files f ON f.version_id = v.id WHERE v.plugin_id = ?'
        . " AND v.status = 'published' ORDER BY v.created_at DESC, f.position", 'i', $plugin['id']) as $row) {
        $url = SITE . "/v1/plugins/$plugin[slug]/download/$row[version]?kind=";
        $versions[$row['version']] ??= ['created_at' => $row['created_at'],
            'downloads' => ['amxx' => "{$url}amxx", 'zip' => "{$url}zip"], 'files' => [], 'version' => $row['version']];
        if ($row['filename'] !== null) {
            $versions[$row['version']]['files'][] = array_diff_key($row, ['version' => 1, 'created_at' => 1]);
        }
    }
    return array_values($versions);
}

function detail(string $slug): array {
    $row = rows('SELECT ' . SUMMARY . ', p.id, p.original_url' . TABLES . ' AND p.slug = ?', 's', $slug)[0];
    $tags = rows('SELECT tag FROM plugin_tags WHERE plugin_id = ? ORDER BY position', 'i', $row['id']);
    return ['plugin' => summary($row) + ['original_url' => $row['original_url'], 'tags' => array_column($tags, 'tag'),
        'versions' => versions($row)], 'status' => true];
}

function meta(): array {
    $paths = ['addon_detail' => '/v1/addons/{slug}', 'addons' => '/v1/addons', 'meta' => '/v1/meta',
        'plugin_detail' => '/v1/plugins/{slug}', 'plugin_download' => '/v1/plugins/{slug}/download/{version}',
        'plugins' => '/v1/plugins', 'server_builder_component' => '/v1/server-builder/components/{slug}',
        'server_builder_download' => '/v1/server-builder/download', 'server_builder_file' => '/v1/server-builder/file',
        'server_builder_meta' => '/v1/server-builder/meta', 'server_builder_resolve' => '/v1/server-builder/resolve'];
    return ['amxx_toolchains' => ['1.8.2', '1.9', '1.10'], 'api_version' => 'v1', 'auth' => 'anonymous',
        'authenticated' => false, 'docs' => SITE . '/docs', 'endpoints' => $paths,
        'plugin_categories' => rows("SELECT category, COUNT(*) AS count FROM plugins WHERE status = 'published'"
            . ' GROUP BY category ORDER BY category'),
        'rate_limits' => ['per_day' => 10000000, 'per_minute' => 10000000],
        'scopes' => ['plugins:read', 'addons:read', 'server:read'], 'status' => true];
}

function catalog(): array {
    $components = [];
    foreach (rows('SELECT id, slug, name, description, homepage, license, layer, is_default, selectable, sort_order'
        . ' FROM components ORDER BY sort_order, slug') as $row) {
        $components[$row['id']] = array_diff_key($row, ['id' => 1])
            + ['detail_url' => SITE . "/v1/server-builder/components/$row[slug]", 'rules' => null, 'versions' => []];
    }
    foreach (rows('SELECT r.component_id, r.rule, c.slug AS component, r.note FROM component_rules r'
        . ' JOIN components c ON c.id = r.target_id ORDER BY r.component_id, r.position') as $row) {
        $components[$row['component_id']]['rules'][] = array_diff_key($row, ['component_id' => 1]);
    }
    foreach (rows('SELECT component_id, version, released_at, size_bytes, file_count FROM component_versions'
        . ' ORDER BY component_id, released_at DESC') as $row) {
        $versions = &$components[$row['component_id']]['versions'];
        $versions[] = array_diff_key($row, ['component_id' => 1]) + ['is_latest' => !$versions];
    }
    return ['archive_root' => '.', 'components' => array_values(array_filter($components, fn ($each) => $each['versions'])),
        'docs' => SITE . '/docs', 'layers' => [], 'page_url' => SITE . '/server', 'platform' => 'linux', 'status' => true];
}

function answer(string $path): array {
    if ($path === '/v1/meta') return meta();
    if ($path === '/v1/server-builder/meta') return catalog();
    $slug = substr($path, strlen('/v1/plugins/'));
    return $slug === '' ? page() : detail($slug);
}

$key = $_SERVER['REQUEST_URI'];
$body = $_SERVER['PEER_APCU'] === 'on' ? apcu_fetch($key) : false;
if ($body === false) {
    $body = json_encode(answer(parse_url($key, PHP_URL_PATH)), JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
    if ($_SERVER['PEER_APCU'] === 'on') apcu_store($key, $body, 2);
}
header('Content-Type: application/json; charset=utf-8');
header('ETag: "' . md5($body) . '"');
header('Content-Length: ' . strlen($body));
echo $body;
