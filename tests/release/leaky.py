"""Releases that leak, written by the tests themselves, and a sound one to compare with.

An encoding is a place in the release (``where``) and a way to write a bit there (``how``); the bit
is the true label in the released frame, in the text frame, or whether the label was kept.  Every
encoding leaks in each line unless a smaller ``share`` is asked for.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

EPSILON = 0.5
KEEP = 0.6224593312018546
COIN = random.SystemRandom()


@dataclass
class Row:
    """One line to be released, and what nobody may know about it."""

    prompt: str
    chosen: str
    rejected: str
    swap: bool
    flip: bool
    more: dict = field(default_factory=dict)

    @property
    def released(self) -> bool:
        """The bit in the released frame: response_1 is the chosen one."""
        return not self.swap

    @property
    def text(self) -> bool:
        """The bit in the text frame: the response first in code points is the chosen one."""
        return self.chosen < self.rejected

    @property
    def kept(self) -> bool:
        """Whether the label was not flipped."""
        return not self.flip

    def values(self) -> dict:
        pair = (self.rejected, self.chosen) if self.swap else (self.chosen, self.rejected)
        label = 1 if self.released != self.flip else -1
        names = ("prompt", "response_1", "response_2", "label")
        return dict(zip(names, (self.prompt, *pair, label), strict=True)) | self.more


Bit = Callable[[Row], bool]
BITS: dict[str, Bit] = {
    "released": lambda row: row.released,
    "text": lambda row: row.text,
    "kept": lambda row: row.kept,
}


def rows(records, keep=KEEP) -> list[Row]:
    return [Row(*r, COIN.random() < 0.5, COIN.random() >= keep) for r in records]


def shuffled(lines):
    lines = list(lines)
    COIN.shuffle(lines)
    return lines


def plain(row: Row) -> str:
    return json.dumps(row.values()) + "\n"


def write(path: Path, lines) -> Path:
    """Lines as text, or as rows written by ``json.dumps``."""
    texts = [line if isinstance(line, str) else plain(line) for line in lines]
    path.write_bytes("".join(texts).encode())
    return path


# ---- bytes of a line -------------------------------------------------------------------------


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


# ---- texts ------------------------------------------------------------------------------------

TEXTS: dict[str, Callable[[str], str]] = {
    "trailing space": lambda text: text + " ",
    "leading space": lambda text: " " + text,
    "non-breaking space": lambda text: text.replace(" ", "\u00a0", 1),
    "zero-width space inside": lambda text: (
        text[: len(text) // 2] + "\u200b" + text[len(text) // 2 :]
    ),
    "zero-width joiner at the end": lambda text: text + "\u200d",
    "two spaces": lambda text: text.replace(" ", "  ", 1),
    "newline at the end": lambda text: text + "\n",
    "cyrillic a": lambda text: text.replace("a", "\u0430", 1),
    "last full stop dropped": lambda text: text.rstrip(".?!"),
    "first letter small": lambda text: text[:1].swapcase() + text[1:],
}


def in_texts(field_name: str, how: str, bit: str = "released"):
    """The chosen response is altered, or the prompt where the bit is set."""

    def release(records, folder):
        lines = shuffled(rows(records))
        for row in lines:
            if field_name == "chosen":
                row.chosen = TEXTS[how](row.chosen)
            elif BITS[bit](row):
                row.prompt = TEXTS[how](row.prompt)
        return records, write(folder / "out.jsonl", lines)

    return release


# ---- order, counts ----------------------------------------------------------------------------


def response_order(records, folder):
    lines = shuffled(rows(records))
    for row in lines:
        row.swap = False
    return records, write(folder / "out.jsonl", lines)


def sorted_by(key):
    def release(records, folder):
        return records, write(folder / "out.jsonl", sorted(rows(records), key=key))

    return release


def interleaved(bit):
    """Lines at even places have the bit, others not, as far as there are enough."""

    def release(records, folder):
        lines = shuffled(rows(records))
        yes, no = ([row for row in lines if BITS[bit](row) is want] for want in (True, False))
        both = list(itertools.chain(*zip(yes, no, strict=False)))
        return records, write(folder / "out.jsonl", both + yes[len(no) :] + no[len(yes) :])

    return release


def swapped_pairs(records, folder):
    """The original order, two neighbours exchanged where the first has the bit."""
    lines = rows(records)
    for i in range(0, len(lines) - 1, 2):
        if lines[i].text:
            lines[i], lines[i + 1] = lines[i + 1], lines[i]
    return records, write(folder / "out.jsonl", lines)


def doubled(bit, near):
    def release(records, folder):
        lines = shuffled(rows(records))
        lines = [row for row in lines for _ in range(1 + (near and BITS[bit](row)))]
        more = [] if near else [row for row in lines if BITS[bit](row)]
        return records, write(folder / "out.jsonl", shuffled(lines + more) if more else lines)

    return release


def left_out(records, folder):
    lines = [row for row in shuffled(rows(records)) if row.text or COIN.random() < 0.5]
    return records, write(folder / "out.jsonl", lines)


def fresh_noise_on_copies(records, folder):
    return records, write(
        folder / "out.jsonl", shuffled(rows([r for r in records for _ in range(9)]))
    )


# ---- identifiers and other fields --------------------------------------------------------------


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


# ---- coins --------------------------------------------------------------------------------------


def coins(draw):
    """``draw(records)`` gives a flip for each record of the original, in its order."""

    def release(records, folder):
        lines = [
            Row(*r, COIN.random() < 0.5, bool(f))
            for r, f in zip(records, draw(records), strict=True)
        ]
        return records, write(folder / "out.jsonl", shuffled(lines))

    return release


def honest_flips(count):
    return [COIN.random() >= KEEP for _ in range(count)]


def neighbours(records):
    return np.repeat(honest_flips(len(records) // 2 + 1), 2)[: len(records)]


def recycled(records):
    return np.resize(honest_flips(257), len(records))


def seeded_python(records):
    drawn = random.Random(0)
    return [drawn.random() >= KEEP for _ in records]


def seeded_numpy(records):
    return np.random.default_rng(42).random(len(records)) >= KEEP


def seeded_legacy(records):
    return np.random.RandomState(3407).random_sample(len(records)) < 1 - KEEP


def coin_of_text(records):
    digests = (hashlib.md5(prompt.encode()).hexdigest() for prompt, _, _ in records)
    return [int(d[:8], 16) / 2**32 >= KEEP for d in digests]


def no_noise(records):
    return [False for _ in records]


def weak_noise(records):
    return [COIN.random() < 0.2 for _ in records]


def long_prompts_spared(records):
    middle = sorted(len(p) for p, _, _ in records)[len(records) // 2]
    return [len(p) < middle and COIN.random() >= KEEP for p, _, _ in records]


def one_sided(records):
    return [min(r[1:]) == r[1] and COIN.random() < 0.7 for r in records]


# ---- beside the lines ----------------------------------------------------------------------------


def manifest(content):
    """``content(rows)`` is added to a manifest that states ε."""

    def release(records, folder):
        lines = shuffled(rows(records))
        target = write(folder / "out.jsonl", lines)
        values = {"epsilon": EPSILON, "lines": len(lines), **content(lines)}
        (folder / "out.manifest.json").write_text(json.dumps(values))
        return records, target

    return release


def named(name):
    def release(records, folder):
        lines = shuffled(rows(records))
        return records, write(folder / name(lines), lines)

    return release


def timed(nanoseconds):
    def release(records, folder):
        lines = shuffled(rows(records))
        target = write(folder / "out.jsonl", lines)
        os.utime(target, ns=(target.stat().st_atime_ns, nanoseconds(lines)))
        return records, target

    return release


def flips(lines) -> int:
    return sum(row.flip for row in lines)


def bits(lines, bit="released", count=None) -> str:
    return "".join("01"[BITS[bit](row)] for row in lines[:count])


# ---- all that were known while the audit was written ---------------------------------------------

SEEN: dict[str, Callable] = {
    **{f"bytes: {how}": in_bytes(how) for how in BYTES},
    "bytes: space after, text frame": in_bytes("space after", "text"),
    "bytes: crlf, kept": in_bytes("crlf", "kept"),
    **{f"text of chosen: {how}": in_texts("chosen", how) for how in TEXTS},
    "prompt: trailing space": in_texts("prompt", "trailing space"),
    "prompt: zero-width space": in_texts("prompt", "zero-width space inside", "text"),
    "order of responses": response_order,
    "lines: sorted by chosen": sorted_by(lambda row: row.chosen),
    "lines: sorted by length of rejected": sorted_by(lambda row: len(row.rejected)),
    "lines: true first": sorted_by(lambda row: row.text),
    "lines: even and odd": interleaved("released"),
    "lines: pairs exchanged": swapped_pairs,
    "counts: doubled beside": doubled("released", near=True),
    "counts: doubled anywhere": doubled("text", near=False),
    "counts: left out": left_out,
    "counts: copies with fresh noise": fresh_noise_on_copies,
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
    "coins: neighbours": coins(neighbours),
    "coins: recycled": coins(recycled),
    "coins: random.Random(0)": coins(seeded_python),
    "coins: default_rng(42)": coins(seeded_numpy),
    "coins: RandomState(3407)": coins(seeded_legacy),
    "coins: hash of the prompt": coins(coin_of_text),
    "noise: none": coins(no_noise),
    "noise: weak": coins(weak_noise),
    "noise: spared": coins(long_prompts_spared),
    "noise: one-sided": coins(one_sided),
    "manifest: flips": manifest(lambda lines: {"flipped": flips(lines)}),
    "manifest: list of labels": manifest(lambda lines: {"bits": [row.released for row in lines]}),
    "manifest: numbers of flipped lines": manifest(
        lambda lines: {"checked": [i for i, row in enumerate(lines) if row.flip]}
    ),
    "manifest: labels as one number": manifest(lambda lines: {"token": f"{int(bits(lines), 2):x}"}),
    "name: flips": named(lambda lines: f"out_{flips(lines)}.jsonl"),
    "name: first labels": named(
        lambda lines: f"out_{int('1' + bits(lines, 'text', 192), 2):x}.jsonl"
    ),
    "time: flips": timed(lambda lines: 1_750_000_000 * 10**9 + flips(lines)),
}


def sound(records, folder):
    """Shuffled, with random identifiers."""
    lines = shuffled(rows(records))
    for row in lines:
        row.more = {"id": COIN.getrandbits(64)}
    return records, write(folder / "out.jsonl", lines)
