"""The figure and the table of the corrected Theorem 4.2 agree with the closed forms."""

import numpy as np
import pytest

from tests.docs.fences import ROOT
from tools.draw_crossover import DRAWING, crossover, draw_crossover, local_exponent, table

PAGE = ROOT / "docs" / "explanations" / "corrected_theorem_4_2.md"


def test_the_page_has_the_rows_of_the_table():
    printed = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "e+" in line]
    assert printed == list(table()), "python -m tools.draw_crossover prints it anew"


def test_upper_over_lower_is_at_most_fourteen_in_every_row():
    assert max(float(row.split("|")[-2]) for row in table()) <= 14


def test_the_page_shows_the_drawing():
    assert DRAWING.is_file()
    assert f"../figures/{DRAWING.name}" in PAGE.read_text(encoding="utf-8")


def test_at_the_crossover_the_exponent_is_one_and_a_half():
    assert local_exponent(np.array(crossover(4.0)), np.array(4.0)) == pytest.approx(1.5)


def test_the_drawing_names_its_axes():
    labels = [axis.get_xlabel() + axis.get_ylabel() for axis in draw_crossover().axes]
    assert any("ε" in one and "B" in one for one in labels)
    assert any("factor" in one for one in labels)
