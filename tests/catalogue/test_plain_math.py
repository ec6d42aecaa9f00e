"""Formulas in a terminal: nothing of the LaTeX is lost, and products stay products."""

import re
import unicodedata
from collections import Counter

from repro.catalogue.papers import load
from repro.catalogue.plain_math import FUNCTIONS, formula, in_unicode
from repro.catalogue.statements import parts
from tests.at_each import at_each

TEXTS = [item.text for item in load().items.values()]
FORMULAS = sorted({part.text for text in TEXTS for part in parts(text) if part.math})
WORDS = re.compile(r"\\(?:(" + "|".join(FUNCTIONS) + r")|[A-Za-z]+|.)(?![a-z])")


def read(text):
    """Latin letters and digits of a text, however they are set."""
    plain = unicodedata.normalize("NFKD", text.replace("ℓ", ""))
    return Counter(sign for sign in plain if sign.isascii() and sign.isalnum())


def test_every_letter_and_digit_stays_and_no_latex_does():
    shown = {latex: formula(latex) for latex in FORMULAS}
    assert [latex for latex in shown if not is_faithful(latex, shown[latex])] == []


def is_faithful(latex, shown):
    return (
        read(WORDS.sub(lambda found: found[1] or "", latex)) == read(shown)
        and not re.search(r"[\\$\ue000-\uf8ff]", shown)
        and (shown.count("(") == shown.count(")") or latex.count("(") != latex.count(")"))
        and shown.count("{") == latex.count(r"\{")
    )


@at_each(
    ("latex", "shown"),
    [
        (r"e^{2B}", "e^(2B)"),
        (r"e^{B}", "e^B"),
        (r"x^{2}y_{1}", "x²y₁"),
        (r"\pi^{*}", "π*"),
        (r"\sum_{t=1}^{T} x_{t+1}", "∑_(t=1)^T x_(t+1)"),
        (r"V_{\max}", "V_max"),
        (r"U_{\mathcal{F}_t}", "U_(ℱ_t)"),
        (r"\tilde{y}\ne y", "ỹ ≠ y"),
        (r"\frac{a+b}{c}", "(a + b)/c"),
        (r"\frac{a}{bc}", "a/(bc)"),
        (r"\frac{a}{2(b-c)}", "a/(2(b−c))"),
        (r"\frac{1}{2}\Gamma", "(1/2)Γ"),
        (r"c\frac{1}{n}", "c(1/n)"),
        (r"\frac{\pi(a)}{\rho(a)}", "π(a)/ρ(a)"),
        (r"\frac{1}{\frac{a}{b}}", "1/(a/b)"),
        (r"\tfrac12 x", "(1/2) x"),
        (r"\sqrt{n}", "√n"),
        (r"\sqrt{c(\varepsilon)}", "√(c(ε))"),
        (r"\sqrt{\frac{d}{n}}", "√(d/n)"),
        (r"2\log T", "2 log T"),
        (r"\{\pm 1\}^{S}", "{±1}^S"),
    ],
)
def test_it_says_what_the_latex_says(latex, shown):
    assert unicodedata.normalize("NFC", formula(latex)) == unicodedata.normalize("NFC", shown)


def test_words_are_left_alone():
    assert in_unicode("for all $n$ it is e^{x} - 1") == "for all n it is e^{x} - 1"
