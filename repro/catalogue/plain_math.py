"""Printed statements as a terminal shows them: their LaTeX as Unicode."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain

from repro.base.errors import nearest
from repro.catalogue.statements import parts

OPEN, CLOSE, BEFORE, AFTER, LEFT, RIGHT = map(chr, range(0xE000, 0xE006))
"""Marks of private use, until it is known what stands beside them: around a fraction, around the
name of a function, and the braces of a set, which are printed."""
FUNCTIONS = (
    "log",
    "ln",
    "exp",
    "max",
    "min",
    "sup",
    "inf",
    "lim",
    "liminf",
    "tanh",
    "coth",
    "cosh",
    "arg",
    "det",
    "dim",
    "Pr",
)
SIGNS = {
    "coloneqq": "≔", "star": "*", "sim": "∼", "ne": "≠", "lt": "<", "{": LEFT, "}": RIGHT,
    "implies": "⇒", "iff": "⇔", "neg": "¬", "land": "∧", "lor": "∨", "bot": "⊥",
}  # fmt: skip
SILENT = re.compile(
    "begin|end|left|right|[bB]igg?[lrm]?|limits|displaystyle|textstyle|operatorname|mathop"
    "|boldsymbol|bm|mathbbm|mathds|[td]frac"
)
"""Names of macros that plain text shows by nothing but their argument: sizes, fonts, layout."""
ACCENTS = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0305"}
RELATIONS = "=≤≥≲<>∈∋⊂⊆→≔∼≈≠∝⪯±×+"
HIGH = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
LETTERS = r"[^\W_][\u0300-\u036f]*"
_SCRIPT = re.compile(r"([\^_])(?:\{([^{}]*)\}|([^\s{}()]))")
_INSIDE = re.compile(r"(?<=[\^_]\()[^()]*")
_MARKED = re.compile(f"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")
_FACTOR = re.compile(
    rf"(?:[\d.]+|∞|{LETTERS})(?:[\^_](?:\([^()]*\)|\w+))*[⁰¹²³⁴-⁹₀-₉*]*(?:\([^()+−]*\))?"
    r"|√?\([^()]*\)[⁰¹²³⁴-⁹]*|√\w"
)


def in_unicode(text: str) -> str:
    r"""Words as they are, formulas between dollar signs in Unicode.

    >>> in_unicode(r"the gap is $O(e^{2B}/n)$ for $\delta\in(0,1)$")
    'the gap is O(e^(2B)/n) for δ ∈ (0,1)'
    """
    return "".join(formula(part.text) if part.math else part.text for part in parts(text))


def formula(latex: str) -> str:
    r"""One formula.

    >>> formula(r"\frac{\beta C}{(2\alpha-1)^{2}n}\log\frac{1}{\delta}")
    '(βC/((2α−1)²n)) log(1/δ)'
    """
    shown = _tidied(_converter().latex_to_text(re.sub(r"\\[dt]frac", r"\\frac", latex)))
    shown = _INSIDE.sub(lambda match: re.sub(r" ([=+]) ", r"\1", match[0]), shown)
    return shown.replace(LEFT, "{").replace(RIGHT, "}")


def unknown_macro(text: str) -> tuple[str, str] | None:
    r"""The first macro of a statement that would be left out, and a hint; None where all are known.

    >>> unknown_macro(r"at $\tildee{p}$")
    ('\\tildee', 'did you mean \\tilde? ')
    >>> unknown_macro(r"at $\tilde{p}$, \tildee")
    """
    database = _converter().latex_context
    for part in parts(text):
        for name in re.findall(r"\\([A-Za-z]+)", part.text) if part.math else ():
            if not SILENT.fullmatch(name) and database.get_macro_spec(name) is None:
                names = {f"\\{one.macroname}" for one in database.iter_macro_specs()}
                return f"\\{name}", nearest(f"\\{name}", sorted(names))
    return None


@cache
def _converter():
    from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

    own = chain(
        (MacroTextSpec(name, sign) for name, sign in SIGNS.items()),
        (MacroTextSpec(name, f"{BEFORE}{name}{AFTER}") for name in FUNCTIONS),
        (MacroTextSpec(name, _accented) for name in ACCENTS),
        [MacroTextSpec("frac", _fraction), MacroTextSpec("sqrt", _root)],
    )
    known = get_default_latex_context_db()
    known.add_context_category("statements", macros=list(own), prepend=True)
    return LatexNodes2Text(known, math_mode="text", keep_braced_groups=True,
                           keep_braced_groups_minlen=0)  # fmt: skip


def _fraction(node, l2tobj) -> str:
    over, under = (_argument(argument, l2tobj) for argument in node.nodeargd.argnlist)
    product = not re.search(f"[−{RELATIONS},/]", _outside(over))
    return f"{OPEN}{over if product else f'({over})'}/{_held(under)}{CLOSE}"


def _root(node, l2tobj) -> str:
    under = _argument(node.nodeargd.argnlist[-1], l2tobj)
    return f"√({under})" if re.search(r"[\w)]\(", under) else f"√{_held(under)}"


def _accented(node, l2tobj) -> str:
    return _argument(node.nodeargd.argnlist[-1], l2tobj) + ACCENTS[node.macroname]


def _argument(node, converter) -> str:
    """What stands in the braces of an argument, or the one sign that stands for them."""
    return _tidied(converter.nodelist_to_text(getattr(node, "nodelist", None) or [node]))


def _held(text: str) -> str:
    """In parentheses, unless it is one factor."""
    return text if _FACTOR.fullmatch(text) else f"({text})"


def _outside(text: str) -> str:
    """What stands outside all parentheses."""
    while (shorter := re.sub(r"\([^()]*\)", "", text)) != text:
        text = shorter
    return text


def _tidied(text: str) -> str:
    text = text.replace("-", "−")
    while (done := _MARKED.sub(_beside, text)) != text:
        text = done
    while (done := _SCRIPT.sub(_script, text)) != text:
        text = done
    text = re.sub(rf"(?<=[\w)*\u0300-\u036f])\s*{BEFORE}", " ", text)
    text = re.sub(rf"{AFTER}\s*(?=[^\W_]|[√∑|‖∃−])", " ", text)
    text = re.sub(f"{BEFORE}|{AFTER}|[{{}}]", "", text)
    text = re.sub(rf"(?<=[^\s(\[,^_{LEFT}{RELATIONS}])\s*([{RELATIONS}])\s*", r" \1 ", text)
    text = re.sub(r"(?<=[(\[])\s+|\s+(?=[)\],])", "", text)
    return re.sub(r"\s+", " ", text).strip()


def _beside(match: re.Match[str]) -> str:
    """A fraction, in parentheses where something is multiplied to it."""
    before, after = match.string[: match.start()].rstrip(), match.string[match.end() :].lstrip()
    multiplied = re.match(rf"[\w(√∑∫|‖\[^*·{BEFORE}{OPEN}{LEFT}]", after)
    multiplied = multiplied or re.search(rf"[\w)^_*·{AFTER}{CLOSE}]$", before)
    return f"({match[1]})" if multiplied else match[1]


def _script(match: re.Match[str]) -> str:
    mark = match[1]
    inner = _tidied(match[3] if match[2] is None else match[2])
    if inner.isdecimal():
        return inner.translate(HIGH if mark == "^" else LOW)
    if mark == "^" and inner == "*":
        return "*"
    bare = re.sub("[\u0300-\u036f]", "", inner)
    alone = bare.isalpha() or re.fullmatch(r"[+−†⊤∞*]|\([^()]*\)", inner)
    return f"{mark}{inner}" if alone else f"{mark}({inner})"
