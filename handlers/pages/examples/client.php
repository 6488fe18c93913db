<?php
// Lists plugins, resolves a server and downloads its archive. Needs PHP 8.0 and no extension.
//
//     php client.php BASE_URL [COMPONENTS [PLUGINS]]
//
// COMPONENTS and PLUGINS are slugs, separated by commas; without COMPONENTS ('') the server is the recommended one. The
// archive is written to the current folder. A download that was interrupted is resumed, also by the next run.
declare(strict_types=1);

const TRIES = 6;
const TIMEOUT = 620; // seconds; the first download of a selection waits until its archive is built

/** An answer that another try will not change. */
class ApiError extends RuntimeException
{
    public function __construct(public int $status, public array $answer)
    {
        parent::__construct(trim("$status " . ($answer['error'] ?? '')));
    }

    /** What the API says in sentences about a selection that it refuses. */
    public function reasons(): array
    {
        $reasons = [];
        foreach (['conflicts', 'missing_requires', 'unavailable'] as $problem) {
            array_push($reasons, ...array_column($this->answer[$problem] ?? [], 'reason'));
        }
        foreach ($this->answer['unknown'] ?? [] as $slug) {
            $reasons[] = "There is no component $slug.";
        }
        foreach ($this->answer['layer_conflicts'] ?? [] as $each) {
            $reasons[] = "Choose one of {$each['components']}.";
        }
        return $reasons;
    }
}

/** A response whose body is read from $stream. */
class Response
{
    public int $status = 0;
    public array $headers = []; // by name, in lower case

    public function __construct(public $stream)
    {
        foreach (stream_get_meta_data($stream)['wrapper_data'] as $line) {
            if (preg_match('~^HTTP/\S+ (\d+)~', $line, $found)) {
                $this->status = (int) $found[1];
                $this->headers = [];
            } elseif (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $this->headers[strtolower($name)] = trim($value);
            }
        }
    }

    /** The JSON of the body. */
    public function json(): array
    {
        return json_decode((string) stream_get_contents($this->stream), true)
            ?? throw new RuntimeException('the answer is incomplete or not JSON');
    }
}

function say(string $message): void
{
    fwrite(STDERR, "$message\n");
}

/** The stream, false if there is none, and what PHP warns of. */
function opened(string $url, mixed $context): array
{
    $warnings = [];
    set_error_handler(function (int $level, string $message) use (&$warnings): bool {
        $warnings[] = $message;
        return true;
    });
    try {
        return [fopen($url, 'rb', false, $context), implode(' ', $warnings)];
    } finally {
        restore_error_handler();
    }
}

/** The response to a GET. Waits and asks again if a limit is reached or the service fails for a moment. */
function request(string $url, string ...$headers): Response
{
    $context = stream_context_create(['http' => [
        'header' => ['User-Agent: client.php', 'Connection: close', ...$headers],
        'timeout' => TIMEOUT,
        'ignore_errors' => true,
        'protocol_version' => 1.1,
    ]]);
    for ($attempt = 1; ; ++$attempt) {
        $wait = 2 ** ($attempt - 1);
        [$stream, $problem] = opened($url, $context);
        if ($stream === false) {
            // A certificate that is not trusted now is not trusted later.
            if ($attempt === TRIES || str_contains($problem, 'certificate verify failed')) {
                throw new RuntimeException($problem);
            }
        } else {
            $response = new Response($stream);
            if ($response->status < 400) {
                return $response;
            }
            $error = new ApiError($response->status, json_decode((string) stream_get_contents($stream), true) ?? []);
            if ($attempt === TRIES || ($response->status !== 429 && $response->status < 500)) {
                throw $error;
            }
            $problem = $error->getMessage();
            $wait = (int) ($response->headers['retry-after'] ?? $wait);
        }
        say("$problem; next try in $wait s");
        sleep($wait);
    }
}

/** All plugins of all pages: plugins($url, ['q' => 'map', 'category' => 'admin']). */
function plugins(string $baseUrl, array $search = []): Generator
{
    $page = $pages = 1;
    for (; $page <= $pages; ++$page) {
        $query = http_build_query($search + ['per_page' => 100, 'page_n' => $page]);
        $answer = request("$baseUrl/v1/plugins?$query")->json();
        foreach ($answer['plugins'] as $plugin) {
            yield $plugin;
        }
        $pages = $answer['total_pages'];
    }
}

/** The plan of a server: its files, notes, build hash and download URL. */
function resolve(string $baseUrl, string $components = '', string $plugins = ''): array
{
    $query = http_build_query(['components' => $components, 'plugins' => $plugins]);
    return request("$baseUrl/v1/server-builder/resolve?$query")->json();
}

/** Compares the file with Repr-Digest (RFC 9530), if the response has it. */
function checkDigest(Response $response, string $path): void
{
    if (preg_match('~sha-256=:([^:]+):~', $response->headers['repr-digest'] ?? '', $found)
        && hash_file('sha256', $path, true) !== base64_decode($found[1])) {
        unlink($path);
        throw new RuntimeException('the archive is damaged: its SHA-256 is not the one that the service names');
    }
}

/** Adds what is missing to the file $part. The response; null if the connection was lost. */
function receive(array $plan, string $part): ?Response
{
    clearstatcache();
    // From the last byte that is there: a range behind the end of a complete file would be an error.
    $start = file_exists($part) ? max(0, filesize($part) - 1) : 0;
    try {
        $response = request($plan['download_url'], ...($start ? ["Range: bytes=$start-"] : []));
    } catch (ApiError $error) {
        if ($error->status !== 416 || !$start) {
            throw $error;
        }
        unlink($part); // longer than the archive: start again
        return null;
    }
    if (($response->headers['x-svc-build-hash'] ?? '') !== $plan['build_hash']) {
        throw new RuntimeException('the catalog has changed meanwhile: resolve again');
    }
    $isPart = $response->status === 206;
    $file = fopen($part, $isPart ? 'r+b' : 'wb');
    if ($file === false || fseek($file, $isPart ? $start : 0) !== 0 || stream_copy_to_stream($response->stream, $file) === false || !fclose($file)) {
        throw new RuntimeException("$part cannot be written");
    }
    $length = $response->headers['content-range'] ?? $response->headers['content-length'];
    clearstatcache();
    return filesize($part) === (int) substr("/$length", strrpos("/$length", '/') + 1) ? $response : null;
}

/** The path of the archive. Its bytes depend on the build hash alone, so that any part of it can be completed later. */
function download(array $plan, string $folder = '.'): string
{
    $path = sprintf('%s/cs16-server-%s.zip', $folder, substr($plan['build_hash'], 0, 12));
    for ($attempt = 1; $attempt <= TRIES; ++$attempt) {
        $response = receive($plan, "$path.part");
        if ($response !== null) {
            checkDigest($response, "$path.part");
            rename("$path.part", $path);
            return $path;
        }
        say('the download was interrupted; it is resumed');
    }
    throw new RuntimeException("{$plan['download_url']}: the connection was lost " . TRIES . ' times');
}

function main(array $arguments): int
{
    if (count($arguments) < 1 || count($arguments) > 3 || str_starts_with($arguments[0], '-')) {
        say('usage: php client.php BASE_URL [COMPONENTS [PLUGINS]]');
        return 2;
    }
    $baseUrl = rtrim(array_shift($arguments), '/');
    try {
        foreach (plugins($baseUrl) as $plugin) {
            echo "{$plugin['slug']} {$plugin['latest_version']}: {$plugin['name']}, {$plugin['downloads']} downloads\n";
        }
        $plan = resolve($baseUrl, ...$arguments);
        printf("server %s: %d files, %d bytes\n", substr($plan['build_hash'], 0, 12), $plan['file_count'], $plan['total_bytes']);
        foreach ($plan['notes'] ?? [] as $note) {
            echo "note: $note\n";
        }
        echo 'saved: ', download($plan), "\n";
    } catch (ApiError $error) {
        say(implode("\n", [$error->getMessage() . ': ' . ($error->answer['docs'] ?? ''), ...$error->reasons()]));
        return 1;
    } catch (RuntimeException $error) {
        say($error->getMessage());
        return 1;
    }
    return 0;
}

if (realpath($argv[0] ?? '') === __FILE__) {
    exit(main(array_slice($argv, 1)));
}
