"""What holds for every response from below /v1, whatever a case asks for."""

import matching

EXPOSED = {"content-disposition", "etag", "repr-digest", "retry-after", "x-svc-build-hash", "x-svc-ignored-parameters", "x-svc-toolchain",
           "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"}
JSON_TYPE = "application/json; charset=utf-8"
# These differ between two calls, or belong to a body that HEAD does not have.
NOT_COMPARED = {"date", "connection", "transfer-encoding", "ratelimit-limit", "ratelimit-remaining",
                "ratelimit-reset", "retry-after"}


def problems(method, response):
    found = [f"header {name} comes {count} times"
             for name, count in _counts(response).items() if count > 1]
    if response.all("Access-Control-Allow-Origin") != ["*"]:
        found.append("no Access-Control-Allow-Origin: *")
    if response.all("Access-Control-Allow-Credentials"):
        found.append("Access-Control-Allow-Credentials is there")
    exposed = {name.strip().lower()
               for value in response.all("Access-Control-Expose-Headers")
               for name in value.split(",")}
    if not EXPOSED <= exposed:
        found.append(f"Access-Control-Expose-Headers lacks {sorted(EXPOSED - exposed)}")
    if any(char in value for value in response.all("Server") for char in "/0123456789"):
        found.append(f"the version of the server shows: {response.all('Server')}")
    if method == "HEAD" or response.status in (204, 304):
        if response.body:
            found.append("there is a body")
    else:
        found += _body_problems(response)
    return found


def _counts(response):
    counts = {}
    for name, _ in response.headers:
        counts[name.lower()] = counts.get(name.lower(), 0) + 1
    return counts


def _body_problems(response):
    content_type = (response.all("Content-Type") or [""])[0]
    if not content_type.startswith("application/json"):
        if response.status >= 300 and response.status != 308:
            return [f"an error that is no JSON: {content_type}"]
        return []
    if response.all("Content-Encoding"):
        return []
    found = [] if content_type == JSON_TYPE else [f"Content-Type: {content_type}"]
    try:
        value, disorder = matching.load_json(response.body.decode("utf-8"))
    except ValueError as error:
        return found + [f"the body is no JSON: {error}"]
    found += disorder
    if rb"\/" in response.body.replace(rb"\\", b""):
        found.append("a slash is escaped")
    if not isinstance(value, dict) or value.get("status") is not (response.status < 300):
        found.append(f"`status` does not fit {response.status}")
    elif response.status >= 300 and not isinstance(value.get("error"), str):
        found.append("an error without `error`")
    return found


def head_is_comparable(exchange_method, response):
    content_type = (response.all("Content-Type") or [""])[0]
    return (exchange_method == "GET" and response.status in (200, 400, 404)
            and content_type == JSON_TYPE and not response.all("Content-Encoding"))


def head_problems(get, head):
    found = problems("HEAD", head)
    if head.status != get.status:
        return found + [f"HEAD answers {head.status}, GET {get.status}"]
    left, right = _comparable_headers(get), _comparable_headers(head)
    for name in sorted(set(left) | set(right)):
        if left.get(name) != right.get(name):
            found.append(f"{name} of HEAD is {right.get(name)}, of GET {left.get(name)}")
    return found


def _comparable_headers(response):
    return {name.lower(): value for name, value in response.headers
            if name.lower() not in NOT_COMPARED}
