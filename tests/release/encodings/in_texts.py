"""Encodings in the texts of a line: a response or the prompt is altered."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from tests.release.encodings.rows import BITS, COIN, Row, edited, rows, shuffled, write

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


SEEN: dict[str, Callable] = {
    **{f"text of chosen: {how}": in_texts("chosen", how) for how in TEXTS},
    "prompt: trailing space": in_texts("prompt", "trailing space"),
    "prompt: zero-width space": in_texts("prompt", "zero-width space inside", "text"),
}


UNSEEN: dict[str, Callable] = {
    "texts: decomposed": decomposed,
    "texts: number of zero widths": edited(zero_widths, "text"),
    "texts: exchanged letters": edited(typo),
    "texts: both marked": edited(both_marked),
    "texts: soft hyphen": edited(soft_hyphen, "kept"),
    "texts: last character": edited(truncated),
    "texts: kind of dash": edited(dash),
    "texts: other stop": edited(synonym),
    "texts: tag character": edited(variation_selector),
}
