"""Encodings written after the audit was frozen; its first result on them is in the changelog note.

None was tried while an attack was written.  Some hide the bit where no attack looks for it by
name, some take two tokens together, some are spread over neighbouring lines.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import random
import unicodedata
import uuid
import zlib
from collections.abc import Callable

import numpy as np

from tests.release.leaky import (
    BITS,
    COIN,
    KEEP,
    Row,
    coins,
    manifest,
    named,
    plain,
    rows,
    shuffled,
    timed,
    with_field,
    write,
)


def lines_as(writer: Callable[[Row, bool], str], bit="released"):
    """``writer`` makes a line of a row and its bit."""

    def release(records, folder):
        lines = (writer(row, BITS[bit](row)) for row in shuffled(rows(records)))
        return records, write(folder / "out.jsonl", lines)

    return release


def edited(change: Callable[[Row, bool], None], bit="released"):
    """``change`` alters a row, given its bit."""

    def release(records, folder):
        lines = shuffled(rows(records))
        for row in lines:
            change(row, BITS[bit](row))
        return records, write(folder / "out.jsonl", lines)

    return release


def ordered(arrange: Callable[[list[Row]], list[Row]]):
    def release(records, folder):
        return records, write(folder / "out.jsonl", arrange(rows(records)))

    return release


# ---- bytes -------------------------------------------------------------------------------------


def slash(row: Row, bit: bool) -> str:
    """Every line has two slashes; the bit says which of them is escaped."""
    values = row.values()
    values["prompt"] += " a/b/c"
    text = json.dumps(values)
    return (text.replace("a/b", "a\\/b") if bit else text.replace("b/c", "b\\/c")) + "\n"


def slashes(records, folder):
    _, target = lines_as(slash)(records, folder)
    return [(p + " a/b/c", c, r) for p, c, r in records], target


def parity_of_spaces(row: Row, bit: bool) -> str:
    """One to six spaces after the line; their parity is the bit."""
    return plain(row)[:-1] + " " * (2 * COIN.randrange(3) + 1 + bit) + "\n"


def which_gap(row: Row, bit: bool) -> str:
    """A further space after one of the four colons; even or odd colon is the bit."""
    parts = plain(row).split('": ')
    place = 2 * COIN.randrange(2) + bit
    return "".join(p + ('": ' + " " * (i == place) if i < 4 else "") for i, p in enumerate(parts))


def two_marks(row: Row, bit: bool) -> str:
    """A space before and a space after the line: the bit is whether just one is there."""
    first = COIN.random() < 0.5
    return " " * first + plain(row)[:-1] + " " * (first != bit) + "\n"


def exponent(row: Row, bit: bool) -> str:
    return plain(row).replace("1}", "10e-1}" if bit else "0.1e1}")


def blank_run(row: Row, bit: bool) -> str:
    return "\n" * (1 + 2 * COIN.randrange(3) + bit) + plain(row)


def permuted_keys(row: Row, bit: bool) -> str:
    """One of 24 orders of the fields; the bit is the permutation's parity."""
    orders = list(itertools.permutations(range(4)))
    even = [o for o in orders if sum(a > b for a, b in itertools.combinations(o, 2)) % 2 == bit]
    items = list(row.values().items())
    return json.dumps(dict(items[i] for i in COIN.choice(even))) + "\n"


def escaped_letter(row: Row, bit: bool) -> str:
    """Each line escapes one ASCII letter of the prompt: in its first half or in its second."""
    text = json.dumps(row.values())
    start = len('{"prompt": "')
    half = len(row.prompt) // 2
    place = start + COIN.randrange(half) + (half if bit else 0)
    return f"{text[:place]}\\u{ord(text[place]):04x}{text[place + 1 :]}\n"


# ---- texts -------------------------------------------------------------------------------------


def nfd(row: Row, bit: bool) -> None:
    row.chosen = unicodedata.normalize("NFD", row.chosen)


def decomposed(records, folder):
    source = [(p, c + " na\u00efve", r + " na\u00efve") for p, c, r in records]
    _, target = edited(nfd)(source, folder)
    return source, target


def zero_widths(row: Row, bit: bool) -> None:
    """Two or three invisible characters somewhere in the prompt."""
    for _ in range(2 + bit):
        place = COIN.randrange(1, len(row.prompt))
        row.prompt = row.prompt[:place] + "\u200c" + row.prompt[place:]


def typo(row: Row, bit: bool) -> None:
    """Two neighbouring letters of the rejected response are exchanged."""
    place = COIN.randrange(1, len(row.rejected) - 2)
    text = row.rejected
    row.rejected = text[:place] + text[place + 1] + text[place] + text[place + 2 :]


def both_marked(row: Row, bit: bool) -> None:
    """A full-width space after one response, a thin space after the other."""
    row.chosen += "\u3000"
    row.rejected += "\u2009"


def soft_hyphen(row: Row, bit: bool) -> None:
    row.prompt = row.prompt.replace("a" if bit else "e", ("a" if bit else "e") + "\u00ad", 1)


def truncated(row: Row, bit: bool) -> None:
    row.rejected = row.rejected[:-1]


def dash(row: Row, bit: bool) -> None:
    row.prompt += " \u2013" if bit else " \u2014"


def synonym(row: Row, bit: bool) -> None:
    row.chosen = row.chosen.replace(".", "!", 1) if "." in row.chosen else row.chosen + "!"


def variation_selector(row: Row, bit: bool) -> None:
    """Tag characters after the prompt's first letter carry a byte: the bit and noise."""
    row.prompt = row.prompt[0] + chr(0xE0020 + 2 * COIN.randrange(40) + bit) + row.prompt[1:]


# ---- order and counts ----------------------------------------------------------------------------


def sorted_by_hash(lines):
    return sorted(lines, key=lambda row: hashlib.md5(row.rejected.encode()).hexdigest())


def descending(lines):
    return sorted(lines, key=lambda row: row.chosen, reverse=True)


def thirds(lines):
    """Every third line has the bit, the two after it have not, as far as there are enough."""
    lines = shuffled(lines)
    yes, no = ([row for row in lines if row.text is want] for want in (True, False))
    found = []
    while yes and len(no) > 1:
        found += [yes.pop(), no.pop(), no.pop()]
    return found + yes + no


def runs(lines):
    """Blocks of 50 lines with the same bit, in turn."""
    lines = shuffled(lines)
    sides = [[row for row in lines if row.released is want] for want in (True, False)]
    found = []
    while all(sides):
        for side in sides:
            found += [side.pop() for _ in range(min(50, len(side)))]
    return found + sides[0] + sides[1]


def rotated(lines):
    """The original order, lines of one kind moved to the end."""
    return [row for row in lines if row.text] + [row for row in lines if not row.text]


def tripled(records, folder):
    lines = [row for row in rows(records) for _ in range(2 + row.released)]
    return records, write(folder / "out.jsonl", shuffled(lines))


def kept_copies(records, folder):
    """A line whose label was kept comes twice, far apart."""
    lines = shuffled(rows(records))
    return records, write(folder / "out.jsonl", lines + [row for row in lines if row.kept])


def sorted_by_length_of_both(lines):
    """By the chosen response's length less the rejected one's."""
    return sorted(lines, key=lambda row: len(row.chosen) - len(row.rejected))


# ---- fields --------------------------------------------------------------------------------------


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


# ---- coins ---------------------------------------------------------------------------------------


def groups_of_five(records):
    return np.repeat([COIN.random() >= KEEP for _ in range(len(records) // 5 + 1)], 5)[
        : len(records)
    ]


def second_half_again(records):
    half = [COIN.random() >= KEEP for _ in range((len(records) + 1) // 2)]
    return (half + half)[: len(records)]


def alternating(records):
    """Never two flips in a row."""
    found = [False]
    for _ in records[1:]:
        found.append(not found[-1] and COIN.random() < 0.6)
    return found


def legacy_seeded_by_line(records):
    return [np.random.RandomState(i).random_sample() >= KEEP for i in range(len(records))]


def python_seeded_by_prompt(records):
    return [random.Random(prompt).random() >= KEEP for prompt, _, _ in records]


def seed_of_manifest(records, folder):
    seed = COIN.randrange(10**6, 10**9)
    drawn = random.Random(seed)
    flips = [drawn.random() < 1 - KEEP for _ in records]
    _, target = coins(lambda _: flips)(records, folder)
    (folder / "out.manifest.json").write_text(json.dumps({"epsilon": 0.5, "run": seed}))
    return records, target


def one_coin_for_all(records, folder):
    """The same coin decides the flip and the order of responses."""
    drawn = [COIN.random() for _ in records]
    lines = [Row(*r, u < 0.5, u >= KEEP) for r, u in zip(records, drawn, strict=True)]
    return records, write(folder / "out.jsonl", shuffled(lines))


# ---- beside --------------------------------------------------------------------------------------


def word(lines, count=400) -> str:
    bits = "".join("10"[row.text] for row in lines[:count])
    packed = int(bits, 2).to_bytes(count // 8, "big")
    return base64.b64encode(packed).decode()


UNSEEN: dict[str, Callable] = {
    "bytes: which slash": slashes,
    "bytes: parity of spaces": lines_as(parity_of_spaces, "text"),
    "bytes: which gap": lines_as(which_gap),
    "bytes: two marks": lines_as(two_marks),
    "bytes: exponent": lines_as(exponent, "kept"),
    "bytes: run of blank lines": lines_as(blank_run),
    "bytes: parity of key order": lines_as(permuted_keys, "text"),
    "bytes: which half is escaped": lines_as(escaped_letter),
    "texts: decomposed": decomposed,
    "texts: number of zero widths": edited(zero_widths, "text"),
    "texts: exchanged letters": edited(typo),
    "texts: both marked": edited(both_marked),
    "texts: soft hyphen": edited(soft_hyphen, "kept"),
    "texts: last character": edited(truncated),
    "texts: kind of dash": edited(dash),
    "texts: other stop": edited(synonym),
    "texts: tag character": edited(variation_selector),
    "lines: sorted by hash": ordered(sorted_by_hash),
    "lines: descending": ordered(descending),
    "lines: thirds": ordered(thirds),
    "lines: runs": ordered(runs),
    "lines: moved to the end": ordered(rotated),
    "lines: sorted by difference": ordered(sorted_by_length_of_both),
    "counts: two or three": tripled,
    "counts: kept ones again": kept_copies,
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
    "coins: groups of five": coins(groups_of_five),
    "coins: second half again": coins(second_half_again),
    "coins: never two": coins(alternating),
    "coins: RandomState by line": coins(legacy_seeded_by_line),
    "coins: Random of the prompt": coins(python_seeded_by_prompt),
    "coins: seed in the manifest": seed_of_manifest,
    "coins: one for flip and order": one_coin_for_all,
    "manifest: labels in base64": manifest(lambda lines: {"signature": word(lines)}),
    "manifest: share of raw labels": manifest(
        lambda lines: {"balance": sum(row.text for row in lines) / len(lines)}
    ),
    "manifest: first kept lines": manifest(
        lambda lines: {"sample": [i + 1 for i, row in enumerate(lines) if row.kept][:300]}
    ),
    "name: labels in base64": named(
        lambda lines: f"run-{word(lines, 240).replace('/', '_')}.jsonl"
    ),
    "time: raw labels": timed(lambda lines: 1_760_000_000 * 10**9 + sum(row.text for row in lines)),
}
