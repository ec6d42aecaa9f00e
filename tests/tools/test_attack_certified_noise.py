"""No neighbours tell more than the certified noise is claimed to let them, and the page says so."""

from pathlib import Path

import pytest

from tools import attack_certified_noise as tool

PAGE = Path("docs/explanations/printed_privacy.md").read_text(encoding="utf-8").splitlines()
EVERY = [
    (name, adjacency, d)
    for name, (_, adjacencies, dimensions) in tool.MECHANISMS.items()
    for adjacency in adjacencies
    for d in dimensions
]
QUICK = [at for at in EVERY if at[2] == 1 or at[0] not in ("θ̃", "reward")]


@pytest.mark.parametrize("at", EVERY, ids=str)
def test_the_page_says_of_every_mechanism_that_nothing_is_above_the_claim(at):
    (line,) = (line for line in PAGE if line.startswith("| {} | {} | {} |".format(*at)))
    tried, largest, short = (cell.strip() for cell in line.split("|")[4:7])
    assert int(tried) >= 200
    assert float(largest) <= 1
    share, said = short.split(", ")
    assert said == ("above" if float(share) > 1 else "below")


@pytest.mark.slow
@pytest.mark.parametrize("at", QUICK, ids=str)
def test_the_page_has_what_the_tool_computes(at):
    assert tool.row(*at) in PAGE


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", tool.ADJACENCIES)
def test_a_noise_that_is_too_small_is_above_the_claim(adjacency, monkeypatch):
    """Half of the noise, believed to be all of it."""
    monkeypatch.setitem(
        tool.MECHANISMS,
        "half",
        (lambda at, found, factor: tool.estimate(at, found, 2.0), (adjacency,), (1,)),
    )
    assert tool.attacked("half", adjacency, 1, 20).largest > 10


def test_a_changed_label_is_tried_where_pairs_come_or_go(monkeypatch):
    """Noise for a pair that comes or goes alone lets a label tell more than the claim."""
    monkeypatch.setattr(tool, "of_reward", tool.certified)
    assert tool.attacked("reward", tool.ADD_REMOVE, 1, 20).largest > 10
