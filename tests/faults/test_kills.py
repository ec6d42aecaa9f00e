"""kill -9 at seeded random moments: no result is lost or altered, no finished block done again.

``KILLS`` runs are killed, and whole commands a tenth as often.
"""

import random

import pytest

pytestmark = pytest.mark.slow

CASES = (
    ("offline_gap", "only=[n_pairs_no_bonus]"),
    ("kl_contraction",),
    ("rdpo_identity",),
    ("concentration_lemmas",),
)
MOST_IN_A_ROW = 4
KILLS = 40


class Score:
    """What a series of kills has met."""

    def __init__(self):
        self.kills = self.kept = self.drafts = 0


def _series(start, chance, seconds, most, look, folder, score):
    """Kill up to ``most`` runs one after another; the finished blocks that are left."""
    _, entries, drafts = look
    before = {}
    for _ in range(min(most, chance.randint(1, MOST_IN_A_ROW))):
        ended = start(folder, chance.uniform(0, seconds))
        assert ended in (-9, 0, 1)
        score.kills += ended == -9
        score.drafts += len(drafts(folder))
        now = entries(folder)
        assert before.items() <= now.items()
        before = now
    score.kept += len(before)
    return before


def _campaign(name, start, kills, look, tmp_path):
    """Kill and rerun until ``kills`` runs were killed; every rerun gives the undisturbed bytes."""
    results, entries, drafts = look
    undisturbed, score, chance = tmp_path / "undisturbed", Score(), random.Random(name)
    (status, _), (_, seconds) = start(undisturbed), start(tmp_path / "timed")
    wanted, blocks = results(undisturbed), set(entries(undisturbed))
    assert status in (0, 1)
    assert len(wanted) == 2
    while score.kills < kills:
        folder = tmp_path / f"after_{score.kills}"
        left = kills - score.kills
        before = _series(start, chance, seconds, left, look, folder, score)
        assert start(folder)[0] == status
        assert before.items() <= entries(folder).items()
        assert set(entries(folder)) == blocks
        assert results(folder) == wanted
        assert drafts(folder) == []
    return (
        f"{score.kills} kills within {seconds:.2f} s, {score.kept} finished blocks kept and not "
        f"done again, {score.drafts} drafts left and swept, 0 results lost or altered"
    )


def _starter(zygote, words):
    def start(folder, after=None):
        full = (*words, f"output_dir={folder}")
        return zygote.run(*full) if after is None else zygote.killed(after, *full)

    return start


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_killed_runs_end_with_the_same_bytes(case, zygote, quick, look, tmp_path, capsys):
    start = _starter(zygote, ("bare", case[0], *case[1:], *quick))
    said = _campaign(case[0], start, KILLS // len(CASES), look, tmp_path)
    with capsys.disabled():
        print(f"\n{case[0]}: {said}")


def test_killed_commands_end_with_the_same_bytes(zygote, quick, look, tmp_path, capsys):
    start = _starter(zygote, ("theorem=kl_contraction", *quick))
    said = _campaign("command", start, KILLS // 10, look, tmp_path)
    with capsys.disabled():
        print(f"\nwhole command: {said}")
