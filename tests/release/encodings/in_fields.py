"""Encodings in a further field: hashes, salts, digits, counters."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import uuid
import zlib
from collections.abc import Callable

from tests.release.encodings.rows import BITS, COIN, Row, rows, shuffled, write


def with_field(name, value, bit="released"):
    """``value`` of the row and its bit stands in an extra field."""

    def release(records, folder):
        lines = shuffled(rows(records))
        for row in lines:
            row.more = {name: value(row, BITS[bit](row))}
        return records, write(folder / "out.jsonl", lines)

    return release


def digest(row: Row) -> str:
    return hashlib.sha256((row.prompt + row.chosen + row.rejected).encode()).hexdigest()[:16]


def salted(row: Row, _) -> str:
    return hashlib.md5(f"salt{row.chosen}{row.rejected}".encode()).hexdigest()


def hashed_label(row: Row, bit: bool) -> str:
    return hashlib.sha1(f"{row.prompt}|{1 if bit else -1}".encode()).hexdigest()


def keyed(row: Row, _) -> str:
    return hmac.new(b"secret", row.chosen.encode(), "sha256").hexdigest()


def base64_digest(row: Row, _) -> str:
    return base64.b64encode(hashlib.sha256(row.chosen.encode()).digest()[:12]).decode()


def encoded(row: Row, bit: bool) -> str:
    inside = json.dumps({"nonce": COIN.getrandbits(32), "won": int(bit)})
    return base64.b64encode(inside.encode()).decode()


def time_digits(row: Row, bit: bool) -> float:
    return 1_700_000_000_000 + 2 * COIN.randrange(10**8) + bit


def random_hex(row: Row, bit: bool) -> str:
    return f"{COIN.getrandbits(60):015x}" + COIN.choice("02468ace" if bit else "13579bdf")


def sequence_of_two(records, folder):
    """Two counters: lines of either kind are numbered apart, from 0 and from 5000."""
    lines, counters = shuffled(rows(records)), [0, 5000]
    for row in lines:
        row.more = {"n": counters[row.released]}
        counters[row.released] += 1
    return records, write(folder / "out.jsonl", lines)


def version_of_uuid(row: Row, bit: bool) -> str:
    return str(uuid.UUID(int=COIN.getrandbits(128), version=4 if bit else 1))


def two_parities(row: Row, bit: bool) -> dict:
    """Two random numbers whose last binary digits differ where the bit is set."""
    one = COIN.getrandbits(20)
    return {"a": one, "b": 2 * COIN.getrandbits(20) + (one % 2 ^ bit)}


def middle_digit(row: Row, bit: bool) -> str:
    digits = str(COIN.randrange(10**9, 10**10))
    return f"2026-01-{digits[:4]}{2 * COIN.randrange(5) + bit}{digits[4:]}Z"


def rounded(row: Row, bit: bool) -> float:
    return round(COIN.random(), 3 if bit else 4)


def zipped(row: Row, bit: bool) -> str:
    inside = json.dumps({"c": row.chosen, "t": COIN.getrandbits(30)})
    return base64.b64encode(zlib.compress(inside.encode())).decode()


def order_of_list(row: Row, bit: bool) -> list[str]:
    names = ["x", "y"]
    return names if bit else names[::-1]


def hash_in_url(row: Row, bit: bool) -> str:
    digest = hashlib.sha1((row.chosen + "\n" + row.rejected).encode()).hexdigest()
    return f"https://example.org/pairs/{digest[:12]}?v=2"


def decimal_hash(row: Row, bit: bool) -> int:
    digest = hashlib.md5((row.prompt + row.chosen).encode()).hexdigest()
    return int(digest, 16) % 10**12


def own_salt(records, folder):
    """A random salt in each line, and the hash of salt and chosen response."""
    lines = shuffled(rows(records))
    for row in lines:
        salt = f"{COIN.getrandbits(40):010x}"
        row.more = {"salt": salt, "h": hashlib.sha256((salt + row.chosen).encode()).hexdigest()}
    return records, write(folder / "out.jsonl", lines)


def crc_of_line(records, folder):
    """A checksum of the original record's own JSON."""
    lines = shuffled(rows(records))
    for row in lines:
        text = json.dumps({"prompt": row.prompt, "chosen": row.chosen, "rejected": row.rejected})
        row.more = {"crc": zlib.crc32(text.encode())}
    return records, write(folder / "out.jsonl", lines)


def length_of_chosen(row: Row, bit: bool) -> int:
    return len(row.chosen)


def start_of_rejected(row: Row, bit: bool) -> str:
    return row.rejected.split()[0].lower() + row.rejected[-4:]


SEEN: dict[str, Callable] = {
    "field: hash of all texts": with_field("id", lambda row, bit: digest(row)),
    "field: salted hash": with_field("id", salted),
    "field: hash of label": with_field("id", hashed_label),
    "field: keyed hash": with_field("uid", keyed),
    "field: digest in base64": with_field("id", base64_digest),
    "field: label in base64": with_field("meta", encoded),
    "field: last digit of a time": with_field("created", time_digits),
    "field: last hex digit": with_field("id", random_hex),
    "field: flip noted": with_field("meta", lambda row, bit: {"noise": bit}, "kept"),
    "field: sign of margin": with_field(
        "margin", lambda row, bit: (1 if bit else -1) * COIN.random()
    ),
}


UNSEEN: dict[str, Callable] = {
    "field: two counters": sequence_of_two,
    "field: version of a uuid": with_field("id", version_of_uuid),
    "field: parity of two": with_field("x", two_parities),
    "field: middle digit": with_field("at", middle_digit, "text"),
    "field: rounding": with_field("score", rounded),
    "field: zipped text": with_field("blob", zipped),
    "field: order of a list": with_field("tags", order_of_list),
    "field: hash in a link": with_field("url", hash_in_url),
    "field: decimal hash": with_field("id", decimal_hash),
    "field: own salt": own_salt,
    "field: checksum of the record": crc_of_line,
    "field: length of chosen": with_field("n", length_of_chosen),
    "field: start of rejected": with_field("key", start_of_rejected),
}
