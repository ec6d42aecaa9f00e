"""A second batch that the audit had not seen, written in one go before any of it was tried.

Nothing in the audit was changed for them; the first result is in the changelog note.
"""

from __future__ import annotations

import codecs
import hashlib
import itertools
from collections.abc import Callable

from tests.release.encodings.in_beside import named, timed
from tests.release.encodings.in_coins import coins, honest_flips
from tests.release.encodings.in_fields import with_field
from tests.release.encodings.in_places import ordered
from tests.release.encodings.rows import (
    BITS,
    COIN,
    KEEP,
    Row,
    edited,
    flips,
    lines_as,
    manifest,
    plain,
    rows,
    shuffled,
    write,
)


def before_comma(row: Row, bit: bool) -> str:
    """A space before one of the first two commas between fields."""
    name = "response_1" if bit else "response_2"
    return plain(row).replace(f', "{name}"', f' , "{name}"', 1)


def zeros_of_label(row: Row, bit: bool) -> str:
    return plain(row).replace("1}", "1.00}" if bit else "1.0}")


def last_of_blanks(row: Row, bit: bool) -> str:
    blanks = "".join(COIN.choice(" \t") for _ in range(COIN.randrange(4)))
    return plain(row)[:-1] + blanks + ("\t" if bit else " ") + "\n"


def added(text: str, writer: Callable[[Row, bool], str], bit="released"):
    """As ``lines_as``, with a text at the end of every prompt, in the original too."""

    def release(records, folder):
        source = [(p + text, c, r) for p, c, r in records]
        return lines_as(writer, bit)(source, folder)

    return release


def quotes(row: Row, bit: bool) -> str:
    return plain(row).replace('\\"', "\\u0022" if bit else '\\"')


def tabs(row: Row, bit: bool) -> str:
    return plain(row).replace("\\t", "\\u0009" if bit else "\\t")


def escaped_blank(row: Row, bit: bool) -> str:
    """One blank of the prompt or of the first response is escaped."""
    start = plain(row).index('"response_1": "' if bit else '"prompt": "') + 16
    place = plain(row).index(" ", start)
    return plain(row)[:place] + "\\u0020" + plain(row)[place + 1 :]


def first_word_twice(row: Row, bit: bool) -> None:
    row.chosen = f"{row.chosen.split()[0]} {row.chosen}"


def capital_word(row: Row, bit: bool) -> None:
    """One word of the prompt in capitals, at an even or odd place."""
    words = row.prompt.split(" ")
    place = 2 * COIN.randrange(len(words) // 2) + bit
    words[place] = words[place].upper()
    row.prompt = " ".join(words)


def words_exchanged(row: Row, bit: bool) -> None:
    one, two, *rest = row.rejected.split(" ")
    row.rejected = " ".join((two, one, *rest))


def quote_marks(row: Row, bit: bool) -> None:
    row.prompt += " 'please'" if bit else " \u2018please\u2019"


def even_lengths(row: Row, bit: bool) -> None:
    """Blanks make the chosen response's length even, the rejected one's odd."""
    row.chosen += " " * (len(row.chosen) % 2)
    row.rejected += " " * (1 - len(row.rejected) % 2)


def smileys(row: Row, bit: bool) -> None:
    row.chosen += " \U0001f642"
    row.rejected += " \U0001f643"


def accent(row: Row, bit: bool) -> None:
    row.chosen = row.chosen.replace("e", "e\u0301", 1)


def narrow_blank(row: Row, bit: bool) -> None:
    words = row.prompt.split(" ")
    place = 1 + 2 * COIN.randrange((len(words) - 1) // 2) + bit
    row.prompt = " ".join(words[:place]) + "\u202f" + " ".join(words[place:])


def sorted_by_vowels(lines):
    return sorted(lines, key=lambda row: sum(row.chosen.count(v) for v in "aeiou"))


def sorted_by_last_word(lines):
    return sorted(lines, key=lambda row: row.chosen.split()[-1])


def late_by_three(lines):
    """The original order; lines with the bit are moved three places back."""
    found = sorted(enumerate(lines), key=lambda pair: pair[0] + 3.5 * pair[1].text)
    return [row for _, row in found]


def fours(lines):
    """Two lines with the bit, two without, as far as there are enough."""
    lines = shuffled(lines)
    yes, no = ([row for row in lines if row.released is want] for want in (True, False))
    found = []
    while len(yes) > 1 and len(no) > 1:
        found += [yes.pop(), yes.pop(), no.pop(), no.pop()]
    return found + yes + no


def first_in_hundred(lines):
    """Of every hundred lines those with the bit come first."""
    lines = shuffled(lines)
    hundreds = (lines[i : i + 100] for i in range(0, len(lines), 100))
    return [row for some in hundreds for row in sorted(some, key=lambda row: row.text)]


def copies_apart(records, folder):
    """A copy seven lines later where the bit is set."""
    lines = shuffled(rows(records))
    found = [[row] for row in lines]
    for i, row in enumerate(lines[:-7]):
        if row.released:
            found[i + 7].append(row)
    return records, write(folder / "out.jsonl", itertools.chain(*found))


def last_decimal(row: Row, bit: bool) -> float:
    return float(f"0.{COIN.randrange(10**4, 10**5)}{2 * COIN.randrange(5) + bit or 4}")


def odd_second(row: Row, bit: bool) -> str:
    hour, minute, second = COIN.randrange(24), COIN.randrange(60), 2 * COIN.randrange(30) + bit
    return f"2026-03-05T{hour:02}:{minute:02}:{second:02}"


def step(row: Row, bit: bool) -> dict:
    start = COIN.randrange(10**6)
    return {"t": [start, start + 100 + bit]}


def short_hash(row: Row, bit: bool) -> str:
    return hashlib.md5(row.chosen.encode()).hexdigest()[:8].upper()


def there_or_not(records, folder):
    lines = shuffled(rows(records))
    for row in lines:
        row.more = {"note": None} if row.kept else {}
    return records, write(folder / "out.jsonl", lines)


def rotated(row: Row, bit: bool) -> str:
    return codecs.encode(" ".join(row.chosen.split()[:4]), "rot13")


def difference(row: Row, bit: bool) -> int:
    return len(row.chosen.split()) - len(row.rejected.split())


def base32_id(row: Row, bit: bool) -> str:
    signs = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    found = [COIN.choice(signs) for _ in range(26)]
    found[10] = COIN.choice(signs[bit::2])
    return "".join(found)


def address(row: Row, bit: bool) -> str:
    parts = [COIN.randrange(256) for _ in range(3)]
    return ".".join(map(str, (10, *parts[:2], 2 * (parts[2] // 2) + bit)))


def colour(row: Row, bit: bool) -> str:
    sets = ("red", "blue", "green", "pink"), ("grey", "gold", "teal", "plum")
    return COIN.choice(sets[bit])


def every_hundred(records):
    return (honest_flips(100) * (1 + len(records) // 100))[: len(records)]


def of_first_word(records):
    """One coin for all prompts that begin with the same six words."""
    known: dict[str, bool] = {}
    heads = (" ".join(prompt.split()[:6]) for prompt, _, _ in records)
    return [known.setdefault(head, COIN.random() >= KEEP) for head in heads]


def questions_spared(records):
    return [not prompt.endswith("?") and COIN.random() >= KEEP for prompt, _, _ in records]


def one_side_only(records, folder):
    """Only lines whose first response is the chosen one are flipped."""
    lines = shuffled(rows(records))
    for row in lines:
        row.flip = row.released and COIN.random() < 2 * (1 - KEEP)
    return records, write(folder / "out.jsonl", lines)


def lengths_of_runs(lines) -> list[int]:
    return [len(list(some)) for _, some in itertools.groupby(lines, BITS["released"])]


def in_groups(lines) -> str:
    bits = "".join("01"[row.flip] for row in lines)
    text = f"{int(bits, 2):0{len(bits) // 4}x}"
    return "-".join(text[i : i + 4] for i in range(0, len(text), 4))


def as_pairs(lines) -> list:
    return [[i, row.released] for i, row in enumerate(lines)]


FRESH: dict[str, Callable] = {
    "bytes: before a comma": lines_as(before_comma),
    "bytes: zeros of the label": lines_as(zeros_of_label, "kept"),
    "bytes: last of some blanks": lines_as(last_of_blanks, "text"),
    "bytes: escaped quotes": added(' "so"', quotes),
    "bytes: escaped tab": added("\tso", tabs, "kept"),
    "bytes: escaped blank": lines_as(escaped_blank),
    "texts: first word twice": edited(first_word_twice),
    "texts: word in capitals": edited(capital_word),
    "texts: words exchanged": edited(words_exchanged),
    "texts: kind of quotes": edited(quote_marks, "text"),
    "texts: even lengths": edited(even_lengths),
    "texts: smileys": edited(smileys),
    "texts: accent": edited(accent),
    "texts: narrow blank": edited(narrow_blank, "kept"),
    "lines: sorted by vowels": ordered(sorted_by_vowels),
    "lines: sorted by last word": ordered(sorted_by_last_word),
    "lines: late by three": ordered(late_by_three),
    "lines: fours": ordered(fours),
    "lines: first in a hundred": ordered(first_in_hundred),
    "counts: copies apart": copies_apart,
    "field: last decimal": with_field("score", last_decimal),
    "field: odd second": with_field("at", odd_second, "text"),
    "field: step in a list": with_field("meta", step),
    "field: short hash": with_field("ref", short_hash),
    "field: there or not": there_or_not,
    "field: rotated letters": with_field("k", rotated),
    "field: difference of words": with_field("d", difference),
    "field: sign of an id": with_field("id", base32_id),
    "field: last octet": with_field("ip", address, "kept"),
    "field: colours": with_field("tag", colour),
    "coins: every hundred again": coins(every_hundred),
    "coins: of the first words": coins(of_first_word),
    "noise: questions spared": coins(questions_spared),
    "noise: one side only": one_side_only,
    "manifest: lengths of runs": manifest(lambda lines: {"runs": lengths_of_runs(lines)}),
    "manifest: groups of digits": manifest(lambda lines: {"key": in_groups(lines)}),
    "manifest: pairs": manifest(lambda lines: {"map": as_pairs(lines)}),
    "name: kept in hexadecimal": named(lambda lines: f"v{len(lines) - flips(lines):x}.jsonl"),
    "time: kept": timed(lambda lines: (1_770_000_000 + len(lines) - flips(lines)) * 10**9),
}
