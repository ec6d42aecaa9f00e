"""kill -9 at seeded random moments: no result is lost or altered, no finished block done again.

The normal run kills 12 times; ``python -m pytest tests/faults --kills 200`` as often as it says.
"""

import random

import pytest

CASES = (
    ("offline_gap", "only=[n_pairs_no_bonus]"),
    ("kl_contraction",),
    ("reward_error", "only=[constant]"),
    ("concentration_lemmas",),
)
MOST_IN_A_ROW = 4


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_killed_runs_end_with_the_same_bytes(case, zygote, kills, quick, look, tmp_path, capsys):
    results, entries, drafts = look
    words = (f"theorem={case[0]}", *case[1:], *quick)
    undisturbed = tmp_path / "undisturbed"
    status, seconds = zygote.run(*words, f"output_dir={undisturbed}")
    assert status in (0, 1), zygote.log.read_text()
    wanted, blocks = results(undisturbed), set(entries(undisturbed))
    assert len(wanted) == 2
    chance = random.Random(case[0])
    left, hit, kept, drafted = -(-kills // len(CASES)), 0, 0, 0
    while left > 0:
        folder = tmp_path / f"after_{left}"
        before = {}
        for _ in range(min(left, chance.randint(1, MOST_IN_A_ROW))):
            ended = zygote.killed(chance.uniform(0, seconds), *words, f"output_dir={folder}")
            hit += ended == -9
            left -= ended == -9
            drafted += len(drafts(folder))
            now = entries(folder)
            assert before.items() <= now.items()
            before = now
        kept += len(before)
        assert zygote.run(*words, f"output_dir={folder}")[0] == status
        assert before.items() <= entries(folder).items()
        assert set(entries(folder)) == blocks
        assert results(folder) == wanted
        assert drafts(folder) == []
    with capsys.disabled():
        print(
            f"\n{case[0]}: {hit} kills in up to {seconds:.1f} s; {kept} finished blocks found "
            f"again, {drafted} drafts left by kills and swept; 0 results lost or altered"
        )
