"""Encodings in the bytes of a line: white space, escapes, order of keys, forms of numbers."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable

from tests.release.encodings.rows import BITS, COIN, Row, lines_as, plain, rows, shuffled, write


def reorder(row: Row) -> str:
    values = row.values()
    return json.dumps({name: values[name] for name in reversed(values)}) + "\n"


def escaped(row: Row, name: str, char: str, form: str) -> str:
    """The first ``char`` of a field written as ``form``."""
    values = row.values()
    head, text = json.dumps(values[name]), plain(row)
    return text.replace(head, head.replace(char, form, 1), 1)


def upper_escape(row: Row) -> str:
    return plain(row).replace("\\u00e9", "\\u00E9")


BYTES: dict[str, Callable[[Row], str]] = {
    "space after": lambda row: plain(row)[:-1] + " \n",
    "tab before": lambda row: "\t" + plain(row),
    "crlf": lambda row: plain(row)[:-1] + "\r\n",
    "blank line before": lambda row: "\n" + plain(row),
    "key order": reorder,
    "label 1.0": lambda row: plain(row).replace("1}", "1.0}"),
    "label 1e0": lambda row: plain(row).replace("1}", "1e0}"),
    "two spaces after colon": lambda row: plain(row).replace('"label": ', '"label":  '),
    "no space after comma": lambda row: plain(row).replace(', "response_2"', ',"response_2"'),
    "escape in prompt": lambda row: escaped(
        row, "prompt", row.prompt[0], f"\\u{ord(row.prompt[0]):04x}"
    ),
    "escape in response_1": lambda row: escaped(row, "response_1", "e", "\\u0065"),
    "escape in a key": lambda row: plain(row).replace('"prompt"', '"promp\\u0074"', 1),
    "not ascii": lambda row: json.dumps(row.values(), ensure_ascii=False) + "\n",
    "case of escape": upper_escape,
}


def in_bytes(how: str, bit: str = "released"):
    def release(records, folder):
        accented = [(p + " caf\u00e9", c, r) for p, c, r in records]
        source = accented if how in ("not ascii", "case of escape") else records
        lines = [(BYTES[how] if BITS[bit](row) else plain)(row) for row in shuffled(rows(source))]
        return source, write(folder / "out.jsonl", lines)

    return release


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


def in_bytes_of(share: float):
    """Some lines end in a space or a tab, as the bit is; the others say nothing."""
    ends = {True: " \n", False: "\t\n"}

    def release(records, folder):
        lines = [
            plain(row)[:-1] + (ends[row.released] if COIN.random() < share else "\n")
            for row in shuffled(rows(records))
        ]
        return records, write(folder / "out.jsonl", lines)

    return release


SEEN: dict[str, Callable] = {
    **{f"bytes: {how}": in_bytes(how) for how in BYTES},
    "bytes: space after, text frame": in_bytes("space after", "text"),
    "bytes: crlf, kept": in_bytes("crlf", "kept"),
}


UNSEEN: dict[str, Callable] = {
    "bytes: which slash": slashes,
    "bytes: parity of spaces": lines_as(parity_of_spaces, "text"),
    "bytes: which gap": lines_as(which_gap),
    "bytes: two marks": lines_as(two_marks),
    "bytes: exponent": lines_as(exponent, "kept"),
    "bytes: run of blank lines": lines_as(blank_run),
    "bytes: parity of key order": lines_as(permuted_keys, "text"),
    "bytes: which half is escaped": lines_as(escaped_letter),
}
