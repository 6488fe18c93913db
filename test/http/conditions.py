"""Conditions and ranges as RFC 9110 has them (sections 13 and 14): what a server may answer to a request for a
representation that is there."""

import dataclasses
import email.message
import email.parser
import email.policy
import re
from datetime import datetime, timezone

DATE = "%a, %d %b %Y %H:%M:%S GMT"
FORMATS = (DATE, "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y")
NEVER = datetime.min.replace(tzinfo=timezone.utc)
ENTITY_TAG = re.compile(r'[ \t,]*(?:(W/)?("[\x21\x23-\x7e\x80-\xff]*"))')
RANGE = re.compile(r"[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*")


@dataclasses.dataclass
class Representation:
    body: bytes
    etag: str  # strong
    modified: str = ""  # Last-Modified; "" = it has none, and conditions with dates are ignored
    has_ranges: bool = False


def parse_date(text):
    for form in FORMATS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=timezone.utc)
        except ValueError:
            pass
    return None


def matches(field, etag, strong):
    """`*`, or a list of tags; strong comparison needs two strong tags."""
    if field.strip() == "*":
        return True
    return any(tag == etag and not (strong and weak) for weak, tag in ENTITY_TAG.findall(field))


def precondition(headers, item):
    """304, 412, or None if the method is to be performed (section 13.2.2)."""
    modified = parse_date(item.modified) if item.modified else None
    if "If-Match" in headers:
        if not matches(headers["If-Match"], item.etag, strong=True):
            return 412
    elif "If-Unmodified-Since" in headers and modified:
        date = parse_date(headers["If-Unmodified-Since"])
        if date and modified > date:
            return 412
    if "If-None-Match" in headers:
        if matches(headers["If-None-Match"], item.etag, strong=False):
            return 304
    elif "If-Modified-Since" in headers and modified:
        # The time of an archive is a digest, not a time: a later archive may have an earlier one. So only the very same
        # time means the same archive, which section 13.1.3 allows.
        if parse_date(headers["If-Modified-Since"]) == modified:
            return 304
    return None


def range_applies(headers, item):
    if not item.has_ranges or "Range" not in headers:
        return False
    condition = headers.get("If-Range", item.etag)
    return condition == item.etag or (bool(item.modified) and parse_date(condition) == parse_date(item.modified))


def parse_ranges(field, size):
    """The satisfiable ones as (first, last); None if the field is malformed or of another unit."""
    unit, _, text = field.partition("=")
    if unit.lower() != "bytes":
        return None
    found = []
    for each in text.split(","):
        parts = RANGE.fullmatch(each)
        if not parts:
            if each.strip(" \t"):
                return None
            continue  # an empty element of a list means nothing
        first, last, suffix = parts.groups()
        if suffix is not None:
            if int(suffix) and size:
                found.append((max(0, size - int(suffix)), size - 1))
        elif last and int(last) < int(first):
            continue  # nginx leaves an invalid one out
        elif int(first) < size:
            found.append((int(first), min(int(last or size), size - 1)))
    return found


def parts_of(response, size):
    """[(first, last, bytes)] of a 206."""
    content_type = response.all("Content-Type")[0]
    if not content_type.startswith("multipart/byteranges"):
        return [part(response.all("Content-Range")[0], response.body, size)]
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(
        b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + response.body)
    return [part(each["Content-Range"], each.get_payload(decode=True), size) for each in message.iter_parts()]


def part(content_range, body, size):
    first, last, total = map(int, re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", content_range).groups())
    assert total == size and len(body) == last - first + 1, content_range
    return first, last, body


def nginx_says(headers, item):
    """What nginx answers to conditions of which section 13.2.2 evaluates one. It evaluates both of a kind, and takes a date that
    it can't read for a very old one: it sends the whole where a 304 would do, or a 412, and never wrong bytes."""
    if not item.modified:
        return None
    modified, unmodified = parse_date(item.modified), headers.get("If-Unmodified-Since")
    if unmodified is not None and (parse_date(unmodified) or NEVER) < modified:
        return 412
    since = headers.get("If-Modified-Since")
    if precondition(headers, item) == 304 and since is not None and parse_date(since) != modified:
        return 200
    return None


def nginx_reads(field):
    """False for a range that RFC 9110 has and nginx refuses: with tabs, empty elements of the list, or numbers of 64 bits."""
    items = field.partition("=")[2].split(",")
    return not any("\t" in item or not item.strip() for item in items) and max(map(int, re.findall(r"\d+", field)), default=0) < 2**63


def problems(method, headers, item, response):
    """What of a response section 13 and 14 do not allow."""
    wanted, said = precondition(headers, item), nginx_says(headers, item)
    if wanted == 412 or said == 412:
        return [] if response.status == 412 else [f"{response.status} instead of 412"]
    if wanted and (said is None or response.status == wanted):
        return [] if response.status == wanted else [f"{response.status} instead of {wanted}"]
    size = len(item.body)
    if not range_applies(headers, item):
        return whole_problems(method, item, response)
    ranges = parse_ranges(headers["Range"], size)
    if response.status == 200:
        # A server may ignore a range that it does not understand, or many that are more than the whole.
        asked = sum(last - first + 1 for first, last in ranges or [])
        understood = bool(ranges) and asked <= size
        return ["the range is ignored"] if understood else whole_problems(method, item, response)
    if response.status == 416:
        can_be = bool(ranges) and nginx_reads(headers["Range"])
        return ["a range that can be satisfied is refused"] if can_be else []
    if response.status != 206 or not ranges:
        return [f"{response.status} for the range"]
    if response.all("ETag") != [item.etag]:
        return ["206 without the ETag"]
    if method == "HEAD":
        return []
    return range_problems(item, ranges, response)


def whole_problems(method, item, response):
    if response.status != 200:
        return [f"{response.status} instead of 200"]
    if response.all("ETag") != [item.etag]:
        return [f"the ETag is {response.all('ETag')}"]
    return [] if method == "HEAD" or response.body == item.body else ["other bytes"]


def range_problems(item, ranges, response):
    parts = parts_of(response, len(item.body))
    found = [f"other bytes in {first}-{last}" for first, last, body in parts if body != item.body[first:last + 1]]
    if sorted((first, last) for first, last, _ in parts) != sorted(ranges):
        found.append(f"{[part[:2] for part in parts]} instead of {ranges}")
    if len(parts) > 1 and response.all("Content-Range"):
        found.append("Content-Range outside of the parts")
    return found
