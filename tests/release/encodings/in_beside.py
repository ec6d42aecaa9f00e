"""Encodings beside the lines: the manifest, the file's name and its times."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable

from tests.release.encodings.rows import BITS, flips, manifest, rows, shuffled, write


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


def bits(lines, bit="released", count=None) -> str:
    return "".join("01"[BITS[bit](row)] for row in lines[:count])


def word(lines, count=400) -> str:
    bits = "".join("10"[row.text] for row in lines[:count])
    packed = int(bits, 2).to_bytes(count // 8, "big")
    return base64.b64encode(packed).decode()


SEEN: dict[str, Callable] = {
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


UNSEEN: dict[str, Callable] = {
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
