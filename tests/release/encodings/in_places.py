"""Encodings in the order of lines and of responses, in doubles and in gaps."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable

from tests.release.encodings.rows import BITS, COIN, Row, rows, shuffled, write


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


def ordered(arrange: Callable[[list[Row]], list[Row]]):
    def release(records, folder):
        return records, write(folder / "out.jsonl", arrange(rows(records)))

    return release


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


SEEN: dict[str, Callable] = {
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
}


UNSEEN: dict[str, Callable] = {
    "lines: sorted by hash": ordered(sorted_by_hash),
    "lines: descending": ordered(descending),
    "lines: thirds": ordered(thirds),
    "lines: runs": ordered(runs),
    "lines: moved to the end": ordered(rotated),
    "lines: sorted by difference": ordered(sorted_by_length_of_both),
    "counts: two or three": tripled,
    "counts: kept ones again": kept_copies,
}
