"""What the page of losses advises is what its table of measurements says."""

import csv
import math
from collections import defaultdict

import pytest

from repro.base.places import PACKAGE

FOLDER = PACKAGE.parent / "docs" / "explanations"
PAGE = " ".join((FOLDER / "which_loss.md").read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def ratios():
    """(B, ε, α, n) and loss → error over the least, where the best loss has learnt something."""
    errors, learnt = defaultdict(dict), defaultdict(set)
    with (FOLDER / "which_loss.csv").open(encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            place = (*(float(row[name]) for name in ("reward_bound", "epsilon", "corruption")),
                     row["order"], float(row["n_pairs"]))  # fmt: skip
            errors[place][row["loss"]] = math.sqrt(float(row["simulated"]))
            if row["learnt"] == "true":
                learnt[place].add(row["loss"])
    best = {place: min(found, key=found.get) for place, found in errors.items()}
    return {
        place: {loss: error / found[best[place]] for loss, error in found.items()}
        for place, found in errors.items()
        if best[place] in learnt[place]
    }


ADVICE = [
    ("no loss beats it where anything is learnt", "mixture", 1.0, 0.02,
     lambda b, e, a, n: a == 0),
    ("Up to ε of about 1 the square loss is as good", "square", 1.0, 0.02,
     lambda b, e, a, n: a == 0 and e <= 1),
    ("at ε = 8 its error is up to 40 % larger", "square", 1.4, 0.05,
     lambda b, e, a, n: a == 0 and e == 8),
    ("From ε = 2, B = 4 and n = 1e4 on it is the best of the three", "square", 1.0, 0.02,
     lambda b, e, a, n: a > 0 and e >= 2 and b >= 4 and n >= 1e4),
    ("(At B = 12 and ε = 8 the mixture has 1.5 to four times its error.)", "mixture", 4.0, 0.2,
     lambda b, e, a, n: a > 0 and b == 12 and e == 8),
    ("Up to ε of about 1 the mixture is within 7 % of the best", "mixture", 1.07, 0.02,
     lambda b, e, a, n: a > 0 and e <= 1),
    ("With n = 1e3 the square loss can be 22 % worse than the best", "square", 1.22, 0.02,
     lambda b, e, a, n: a > 0 and n == 1e3),
    ("up to twenty times worse where some rewards are far apart", "debiased", 20, 1,
     lambda b, e, a, n: True),
    ("is within 6 % of the best where all rewards are close (B = 2)", "debiased", 1.06, 0.01,
     lambda b, e, a, n: b == 2),
]  # fmt: skip


@pytest.mark.parametrize(("words", "loss", "worst", "by", "where"), ADVICE)
def test_an_advice_is_what_was_measured(ratios, words, loss, worst, by, where):
    assert words in PAGE
    found = [
        each[loss]
        for (bound, epsilon, corruption, _, n_pairs), each in ratios.items()
        if where(bound, epsilon, corruption, n_pairs)
    ]
    assert len(found) >= 10
    assert max(found) == pytest.approx(worst, abs=by)


def test_the_debiased_loss_is_never_better_by_more_than_it_says(ratios):
    assert "is at most 7 % better than the mixture and the square loss anywhere on the map" in PAGE
    others = [min(each["mixture"], each["square"]) for each in ratios.values()]
    assert max(others) == pytest.approx(1.07, abs=0.01)
