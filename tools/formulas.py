"""Formulas as our pages write them (Unicode, ^ and _) as MathML, which browsers typeset offline.

Pages stay readable in an editor and on GitHub; the built site has ``e^{2B}`` as a formula.  A page
has a formula on a line of its own where it is indented by four spaces, and within a sentence where
a word has a script: ``e^{βB}``, ``π_ref(y)``, ``Σ_{t≤T}``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵀᵏⁿ"
LOWERED = "₀₁₂₃₄₅₆₇₈₉₊₋"
FENCES = "()[]{}⟨⟩⌈⌉⌊⌋|‖"
CLOSING = {"(": ")", "{": "}", "[": "]"}
OPENING = {closing: opening for opening, closing in CLOSING.items()}
UNDER = {"max", "min", "sup", "inf", "lim", "argmin", "argmax", "Σ", "Π"}
"""What has its range below it, on a line of its own."""
FUNCTIONS = UNDER | {
    "log", "ln", "exp", "sinh", "cosh", "tanh", "coth", "atanh", "artanh", "sgn", "det", "tr",
    "cos", "sin", "sign", "Var", "Cov", "KL", "TV", "SubOpt", "MLE", "CTL", "LTC", "CLC", "XPO",
}  # fmt: skip
WORDS = {
    "above", "against", "all", "and", "any", "as", "at", "below", "by", "enough", "error", "every",
    "factor", "for", "from", "goes", "if", "in", "is", "it", "its", "least", "more", "most", "no",
    "not", "of", "on", "one", "or", "over", "printed", "rate", "ratio", "so", "somewhere", "that",
    "the", "there", "to", "under", "up", "where", "whose", "with",
}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<word>[A-Za-z]+(?:['’][a-z]+|-[a-z]+)*)|(?P<number>\d+(?:\.\d+)?(?:e[-+]?\d+)?|\.\d+)"
    r"|(?P<space>\s+)|(?P<sign>.)",
    re.DOTALL,
)
_PLAIN_NAME = re.compile(
    r"[a-z]{2}[a-z0-9]*_[a-z]{2}|\b[a-z]_[a-z]{4}|://|\.(?:py|md|v|json|yaml)\b|--|\bp\d\.[a-z]"
)
"""Names of code, files, addresses and statements are no formulas."""
_FUNCTION_OF = re.compile(rf"\b(?:{'|'.join(sorted(FUNCTIONS))}|err|gap)_")
_WORD_IN_PROSE = re.compile(r"[a-z]{4,}")


@dataclass(frozen=True)
class Token:
    """A sign or word; ``kind`` is word, number, space or sign."""

    kind: str
    text: str


def tokens(text: str) -> list[Token]:
    """Words, numbers, spaces and signs; combining accents stay with their letter.

    >>> [one.text for one in tokens("θ̂_n² ≤ 2B")]
    ['θ̂', '_', 'n', '²', ' ', '≤', ' ', '2', 'B']
    """
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "sign"
        if len(match[0]) == 1 and unicodedata.combining(match[0]) and found:
            last = found.pop()
            if len(last.text) > 1:
                found.append(Token(last.kind, last.text[:-1]))
            found.append(Token("sign", last.text[-1] + match[0]))
        else:
            found.append(Token(kind, match[0]))
    return found


class _Reader:
    """Reads tokens into MathML elements."""

    def __init__(self, found: Sequence[Token], display: bool) -> None:
        self._tokens, self._at, self._display = found, 0, display

    def rest(self, closing: str = "") -> list[ET.Element]:
        """Elements up to the end, or to a closing sign, which is taken."""
        row: list[ET.Element] = []
        depth, opening = 0, OPENING.get(closing, "")
        while self._at < len(self._tokens):
            if closing and self._peek() in (opening, closing):
                if self._peek() == closing and depth == 0:
                    self._at += 1
                    return row
                depth += 1 if self._peek() == opening else -1
            for atom in self._atoms():
                row.append(self._scripts(atom))
        return row

    def _peek(self) -> str:
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    def _take(self) -> Token:
        self._at += 1
        return self._tokens[self._at - 1]

    def _atoms(self) -> Iterator[ET.Element]:
        token = self._take()
        if token.kind == "space":
            if len(token.text) > 1:
                yield _element("mspace", width="1.5em")
        elif token.kind == "number":
            yield _element("mn", token.text)
        elif token.kind == "word":
            yield from self._word(token.text)
        elif token.text == "√":
            yield self._root()
        elif token.text in RAISED or token.text in LOWERED:
            # a script of nothing: of what an emphasis or a code has ended
            self._at -= 1
            yield _element("mrow")
        else:
            yield _sign(token.text)

    def _word(self, text: str) -> Iterator[ET.Element]:
        """A function or words as they are; other letters one by one, as factors."""
        if text in FUNCTIONS:
            yield _element("mi", text, mathvariant="normal")
        elif self._is_word(text):
            yield _element("mtext", self._phrase(text))
        elif len(text) == 1:
            yield _element("mi", text)
        elif text[0].isupper() and text[1:].islower() and len(text) > 3:
            yield _element("mtext", self._phrase(text))
        else:
            for letter in text[:-1]:
                yield _element("mi", letter)
            yield _element("mi", text[-1])

    def _is_word(self, text: str) -> bool:
        """Whether it is no product of letters; ``a`` is none before another word."""
        if text != "a":
            return self._goes_on(text)
        after = self._tokens[self._at + 1 : self._at + 2]
        return bool(after) and after[0].kind == "word" and len(after[0].text) > 2

    def _phrase(self, first: str) -> str:
        """Words with their spaces, which MathML would drop."""
        before = self._at >= 2 and self._tokens[self._at - 2].kind == "space"
        words = [first]
        while self._kinds() == ["space", "word"] and self._goes_on(self._tokens[self._at + 1].text):
            words.append(self._tokens[self._at + 1].text)
            self._at += 2
        after = self._kinds()[:1] == ["space"]
        return "\u00a0" * before + "\u00a0".join(words) + "\u00a0" * after

    def _kinds(self) -> list[str]:
        """Of the next two tokens."""
        return [one.kind for one in self._tokens[self._at : self._at + 2]]

    def _goes_on(self, text: str) -> bool:
        return text not in FUNCTIONS and (text in WORDS or bool(_WORD_IN_PROSE.match(text)))

    def _root(self) -> ET.Element:
        """A root over what stands in brackets; before anything else the sign alone."""
        if self._peek() != "(":
            return _element("mo", "√", stretchy="false")
        self._at += 1
        return _with("msqrt", *self.rest(")"))

    def _scripts(self, base: ET.Element) -> ET.Element:
        """The base with what stands below and above it."""
        below: list[ET.Element] = []
        above: list[ET.Element] = []
        while self._at < len(self._tokens):
            sign = self._peek()
            if sign == "_" and not below and self._script_follows():
                self._at += 1
                below = self._script()
            elif sign == "^" and self._script_follows():
                self._at += 1
                above += self._script()
            elif sign and sign in LOWERED and not below:
                below = self._signs(LOWERED)
            elif sign and sign in RAISED:
                above += self._signs(RAISED)
            elif sign in ("′", "″") or (sign == "*" and base.tag in ("mi", "mover")):
                self._at += 1
                above.append(_element("mo", sign))
            else:
                break
        under = self._display and base.text in UNDER
        if below and above:
            tag = "munderover" if under else "msubsup"
            return _with(tag, base, _row(below), _row(above))
        if below:
            return _with("munder" if under else "msub", base, _row(below))
        return _with("msup", base, _row(above)) if above else base

    def _script_follows(self) -> bool:
        after = self._tokens[self._at + 1 : self._at + 2]
        return bool(after) and after[0].kind != "space"

    def _signs(self, of: str) -> list[ET.Element]:
        text = ""
        while (sign := self._peek()) and sign in of:
            text += unicodedata.normalize("NFKC", sign)
            self._at += 1
        inner = _Reader(tokens(text.replace("-", "−")), display=False)
        return inner.rest()

    def _script(self) -> list[ET.Element]:
        """In braces or brackets, or a sign, letters and digits up to the next other sign."""
        sign = self._peek()
        if sign in ("{", "("):
            self._at += 1
            return self.rest(CLOSING[sign])
        row = []
        if sign in ("−", "+", "±"):
            row.append(_sign(self._take().text))
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if not _in_a_script(token):
                break
            self._at += 1
            if token.kind == "word" and len(token.text) > 1:
                row.append(_element("mi", token.text, mathvariant="normal"))
            elif token.text in ("′", "″") and row:
                row[-1] = _with("msup", row[-1], _element("mo", token.text))
            elif token.kind == "number":
                row.append(_element("mn", token.text))
            else:
                row.append(_sign(token.text))
        if self._peek() == "*" and row:
            self._at += 1
            row[-1] = _with("msup", row[-1], _element("mo", "*"))
        return row or [_sign(self._take().text)]


def _in_a_script(token: Token) -> bool:
    """Whether a script without brackets goes on."""
    first = token.text[0]
    letter = unicodedata.category(first)[0] == "L" and first not in RAISED
    return token.kind in ("word", "number") or letter or first in "½∞′″"


def _sign(text: str) -> ET.Element:
    """A letter with an accent, a number or an operator that keeps its size."""
    if len(text) > 1 and unicodedata.combining(text[-1]):
        accents = {"\u0302": "ˆ", "\u0303": "~", "\u0304": "¯", "\u0307": "˙"}
        accent = accents.get(text[-1], text[-1])
        over = _element("mo", accent, stretchy="false")
        return _with("mover", _element("mi", text[:-1]), over, accent="true")
    decomposed = unicodedata.normalize("NFD", text)
    if len(decomposed) == 2 and unicodedata.combining(decomposed[1]) and text.isalpha():
        return _sign(decomposed)
    if text in "½¼¾" or text == "∞":
        return _element("mn" if text != "∞" else "mi", text)
    if text in "|‖":
        return _element("mo", text, stretchy="false", lspace="0", rspace="0")
    if text in FENCES:
        return _element("mo", text, stretchy="false")
    if text in UNDER:
        return _element("mo", "∑" if text == "Σ" else "∏") if text in "ΣΠ" else _element("mi", text)
    if unicodedata.category(text)[0] == "L":
        return _element("mi", text)
    return _element("mo", text)


def _element(tag: str, text: str = "", **attributes: str) -> ET.Element:
    found = ET.Element(tag, attributes)
    found.text = text or None
    return found


def _row(inner: Sequence[ET.Element]) -> ET.Element:
    if len(inner) == 1:
        return inner[0]
    row = ET.Element("mrow")
    row.extend(inner)
    return row


def _with(tag: str, *inner: ET.Element, **attributes: str) -> ET.Element:
    found = ET.Element(tag, attributes)
    found.extend(inner)
    return found


def formula(text: str) -> ET.Element:
    """A formula within a sentence.

    >>> ET.tostring(formula("e^{2B}"), "unicode")
    '<math><msup><mi>e</mi><mrow><mn>2</mn><mi>B</mi></mrow></msup></math>'
    """
    math = ET.Element("math")
    math.extend(_Reader(tokens(text), display=False).rest())
    return math


def block(text: str) -> ET.Element:
    """Lines of formulas, columns of which are set apart by two spaces or more."""
    lines = [re.split(r"\s{2,}", f"  {line.rstrip()}"[2:]) for line in text.strip("\n").split("\n")]
    math = ET.Element("math", display="block")
    if len(lines) == 1:
        math.extend(_Reader(tokens(text.strip()), display=True).rest())
        return math
    table = ET.SubElement(math, "mtable", columnalign="left", displaystyle="true")
    for line in lines:
        row = ET.SubElement(table, "mtr")
        for cell in line:
            ET.SubElement(row, "mtd", style="text-align: left").extend(
                _Reader(tokens(cell), display=True).rest()
            )
    return math


def is_formula(text: str) -> bool:
    """Whether an indented block has a sign that no code of ours has.

    >>> is_formula("a ≤ b"), is_formula("options:")
    (True, False)
    """
    return not text.isascii()


def span(text: str, start: int) -> int:
    """Where a formula that begins at ``start`` ends: at a space outside of brackets.

    A bracket that stands first is the sentence's.

    >>> text = "so e^(c − l)·√(x + 1), and"
    >>> text[3 : span(text, 3)]
    'e^(c − l)·√(x + 1)'
    """
    at = start
    while at < len(text) and not text[at].isspace() and text[at] not in "\x02\x03`":
        if text[at] in CLOSING and at > start:
            at = _closed(text, at)
        at += 1
    return _trimmed(text, start, min(at, len(text)))


def _closed(text: str, at: int) -> int:
    """Place of the bracket that closes the one at ``at``; ``at`` where none does."""
    depth, opening, closing = 0, text[at], CLOSING[text[at]]
    for place in range(at, len(text)):
        depth += (text[place] == opening) - (text[place] == closing)
        if text[place] in "\x02\x03`":
            return at
        if depth == 0:
            return place
    return at


def _opened(held: str) -> bool:
    """Whether the bracket at the end has its opening one in the text."""
    depth, closing, opening = 0, held[-1], OPENING[held[-1]]
    for sign in reversed(held):
        depth += (sign == closing) - (sign == opening)
        if depth == 0:
            return True
    return False


def _trimmed(text: str, start: int, end: int) -> int:
    """Without the sentence's signs at its end, and without a bracket that it did not open.

    Two stars end what is bold; one is that of π*, unless another stands before the formula.
    """
    emphasised = text[start - 1 : start] == "*"
    while end > start:
        last, held = text[end - 1], text[start:end]
        if last in ".,;:!?\"'”’—–" or (last in OPENING and not _opened(held)):
            end -= 1
        elif held.endswith("**"):
            end -= 2
        elif last == "*" and (emphasised or held[-2:-1] in ".,;:"):
            end, emphasised = end - 1, False
        else:
            break
    return end


def wanted(text: str) -> bool:
    """Whether a word of a sentence is a formula with a script.

    >>> [wanted(one) for one in ("e^B", "√(1 − x)", "π_ref", "reward_bound", "a_b.py", "x", "_x")]
    [True, True, True, False, False, False, False]
    >>> wanted("p1.thm_4_2")
    False
    """
    scripted = "√(" in text or re.search(r"[^\s^_(\[{][\^_][^\s^_)\]}]", text)
    return bool(scripted) and not _PLAIN_NAME.search(_FUNCTION_OF.sub("f_", text))
