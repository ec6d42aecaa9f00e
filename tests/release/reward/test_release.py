"""``python -m repro private_reward`` and ``repro.private_reward``."""

import json
import re
from decimal import Decimal

import numpy as np
import pytest

import repro
from repro.base.errors import BadInput
from repro.commands import privatize
from repro.commands.private_reward import main
from repro.commands.process.command import status_of
from repro.labels.privacy.adjacency import ADD_REMOVE, ADJACENCIES
from repro.labels.privacy.clopper_pearson import lower, upper
from repro.release.drafts import Draft
from repro.release.ledger import default_folder, held_ledger
from repro.release.reward.calibration import RewardBudget, calibrated
from repro.release.reward.features import SHORTENED, matrix_rows
from repro.release.reward.release import OF_WHOLE_PAIRS, RewardTerms, drawn, release_reward
from repro.release.reward.reward import PrivateReward

BUDGET = {"epsilon": 1, "delta": 1e-6, "reward_bound": 2, "weak": True}
WORDS = ["epsilon=1", "delta=1e-6", "reward_bound=2", "weak=true"]


def everything(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture
def pairs(tmp_path, records):
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


@pytest.fixture
def matrix(tmp_path, planted):
    np.save(tmp_path / "phi.npy", planted[0])
    np.save(tmp_path / "labels.npy", planted[1])
    return tmp_path / "phi.npy", tmp_path / "labels.npy"


def test_the_command_releases_a_reward_that_can_be_loaded_and_scored_with(pairs, tmp_path, capsys):
    out = tmp_path / "reward.json"
    assert status_of(main, [str(pairs), str(out), *WORDS, f"ledger={tmp_path / 'ledger'}"]) == 0
    said = capsys.readouterr().out
    guarantee = "theta is (1, 0.000001)-differentially private where one labelled pair is replaced"
    assert guarantee in " ".join(said.split())
    assert max(map(len, said.replace(str(out), "").splitlines())) <= 80
    reward = PrivateReward.load(out)
    assert reward.theta.shape == (16,)
    scores = reward.score(["a reply", "another, longer reply"], ["a question"] * 2)
    assert scores.shape == (2,)
    assert np.isfinite(scores).all()
    assert len(repr(reward)) < 100


def test_the_card_states_what_was_promised(pairs, tmp_path):
    made = repro.private_reward(pairs, **BUDGET)
    card = made.card
    assert card["guarantee"] == (
        "theta is (1, 0.000001)-differentially private where one labelled pair is replaced by"
        " another, with its texts or features and its label"
    )
    assert (card["adjacency"], card["unit"]) == ("replace", "one labelled pair")
    assert (card["clipping"], card["reward_bound"]) == (SHORTENED, 2.0)
    assert "the number of pairs (300)" in card["public"]
    assert card["numbers"]["certified_delta"] <= 1e-6
    made = repro.private_reward(pairs, **BUDGET, adjacency="add_remove", compose=True)
    assert "is added or removed" in made.card["guarantee"]
    assert "the number of pairs is not public" in made.card["public"]
    # as a number of its own: digits of noise may hold it
    assert not re.search(r"(?<![\d.])300(?![\d.])", made.content.decode())
    assert (made.card["total_epsilon"], made.card["total_delta"]) == (2.0, 2e-6)


def test_a_total_is_of_the_label_alone_where_texts_were_published(pairs, tmp_path, capsys):
    ledger = f"ledger={tmp_path / 'ledger'}"
    words = [str(pairs), str(tmp_path / "labels.jsonl"), "epsilon=1", ledger]
    assert status_of(privatize.main, words) == 0
    capsys.readouterr()
    out = tmp_path / "reward.json"
    assert status_of(main, [str(pairs), str(out), *WORDS, ledger, "compose=true"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"and delta 0.000001 in all; {OF_WHOLE_PAIRS}" in said
    assert OF_WHOLE_PAIRS in PrivateReward.load(out).card["accounting"]


def test_a_unit_is_all_pairs_of_an_annotator(pairs):
    made = repro.private_reward(pairs, **BUDGET, unit="annotator", at_most=3)
    assert made.card["unit"] == "all pairs of one annotator, at most 3"
    assert "at most 3, are replaced by others, with their texts" in made.card["guarantee"]
    (debit,) = debits()
    assert debit.manifest.unit_size == 3


def test_so_much_noise_that_a_reward_is_flat_is_said_before_anything_is_spent(records, tmp_path):
    """By the public number of pairs; where that is protected the line follows from the command."""

    def said(epsilon, count, **more):
        lines = []
        terms = RewardTerms(Decimal(epsilon), Decimal("1e-6"), 5.0, **more)
        folder = tmp_path / f"{epsilon} {count} {sorted(more)}"
        folder.mkdir()
        release_reward(records[:count], folder / "r.json", terms, folder / "ledger", lines.append)
        assert lines[-1].startswith("learnt a reward")
        return lines[:-1]

    flat = "with {} pairs this noise leaves a reward that is expected to be hardly better than"
    assert said(1, 200, weak=True)[0].startswith(flat.format(200))
    assert said(40, len(records)) == []
    assert said(1, 200, size=3, weak=True)[0].startswith(flat.format(3))
    for more, size in (({}, 199), ({"size": 3, "adjacency": "add_remove"}, 3)):
        with pytest.raises(
            BadInput, match=f"{flat.format(size)} .*; nothing is spent; .* weak=true"
        ):
            said(1, 199 + len(more), **more)
    refused = [tmp_path / "1 199 []", tmp_path / "1 201 ['adjacency', 'size']"]
    assert not any(list(folder.iterdir()) for folder in refused)
    people = {"unit": "annotator", "at_most": 3}
    (line,) = said(1, 200, **people)
    assert line.startswith("this noise takes about 16384 pairs: with half as many a reward is")
    assert line.endswith("with size=N, a public guess, the command refuses before it spends")
    assert said(1, 100, **people) == [line]


def debits(folder=None):
    with held_ledger(folder or default_folder()) as ledger:
        return ledger.debits()


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize("shape", ["both", "differences"])
def test_a_matrix_is_learnt_from_and_points_where_the_truth_does(planted, adjacency, shape):
    phi, labels, theta = planted
    given = phi if shape == "both" else phi[:, 0] - phi[:, 1]
    made = repro.private_reward(
        given, 8, 1e-3, 4, labels=labels, adjacency=adjacency, covariance=True, size=2000
    )
    cosine = made.theta @ theta / np.linalg.norm(made.theta) / np.linalg.norm(theta)
    assert cosine > 0.9
    assert np.mean((made.score(phi[:, 0]) > made.score(phi[:, 1])) == (labels > 0)) > 0.6
    x = phi[:, 0] - phi[:, 1]
    noise = made.card["numbers"]["second_moment_noise_deviation"]
    assert np.abs(made.second_moment - x.T @ x).max() < 6 * noise
    assert (made.second_moment == made.second_moment.T).all()


def test_files_of_matrices_give_the_same_pairs(matrix, planted, tmp_path):
    phi, labels, _ = planted
    np.savetxt(tmp_path / "labels.csv", labels, fmt="%d")
    np.savetxt(tmp_path / "x.csv", phi[:, 0] - phi[:, 1], delimiter=",")
    wanted = matrix_rows(*matrix).differences
    for pairs, signs in ((matrix[0], "labels.csv"), (tmp_path / "x.csv", "labels.npy")):
        rows = matrix_rows(pairs, tmp_path / signs).differences
        np.testing.assert_allclose(rows, wanted, atol=1e-6)


def test_long_features_are_clipped(planted):
    phi, labels, _ = planted
    made = repro.private_reward(1000 * phi, **BUDGET, labels=labels)
    both = made.score(1000 * phi[:, 0]), made.score(1e6 * phi[:, 0])
    np.testing.assert_allclose(*both, atol=1e-14)
    unit = phi[:, 0] / np.linalg.norm(phi[:, 0], axis=1, keepdims=True)
    np.testing.assert_allclose(both[0], unit @ made.theta, rtol=1e-4)
    for table in (1e9 * phi, 1e9 * (phi[:, 0] - phi[:, 1])):
        kept = matrix_rows(table, labels).differences.astype(np.float64)
        assert np.linalg.norm(kept, axis=1).max() <= 2


def test_the_longest_features_keep_their_direction_and_warn_of_nothing(planted, recwarn):
    """A warning of numpy's would be a line of the terminal that one pair decides on."""
    phi, labels, _ = planted
    for table in (phi, phi[:, 0] - phi[:, 1]):
        far = matrix_rows(1e307 * table, labels).differences
        np.testing.assert_allclose(far, matrix_rows(1e3 * table, labels).differences, atol=1e-6)
    assert len(recwarn) == 0


def test_one_pair_moves_no_other_pairs_features(records):
    from repro.release.reward.features import text_rows

    other = {"prompt": "new " * 400, "chosen": "w" * 5000, "rejected": "?!"}
    one, changed = (text_rows(rows, 16) for rows in (records, [*records[:-1], other]))
    np.testing.assert_array_equal(one.differences[:-1], changed.differences[:-1])
    assert not (one.differences[-1] == changed.differences[-1]).all()


def spoilt(planted, kind):
    phi, labels, _ = (one.copy() for one in planted)
    if kind == "NaN":
        phi[7, 0, 1] = np.nan
    if kind == "infinite":
        phi[7, 0, 1] = np.inf
    if kind == "one pair":
        phi, labels = phi[:1], labels[:1]
    if kind == "other labels":
        labels[4] = 0
    if kind == "too few labels":
        labels = labels[:-1]
    if kind == "shape":
        phi = phi[..., None]
    return phi, None if kind == "no labels" else labels


@pytest.mark.parametrize(
    ("kind", "complaint"),
    [("NaN", "row 8 holds NaN or infinity"), ("infinite", "row 8 holds NaN or infinity"),
     ("one pair", "allowed: 2 to 5000000 pairs"), ("other labels", r"row 5 is neither \+1 nor -1"),
     ("too few labels", r"has the shape \(1999,\)"), ("shape", "allowed: .n, d. or .n, 2, d."),
     ("no labels", "a matrix needs labels=FILE")],
)  # fmt: skip
def test_bad_matrices_are_refused_and_nothing_is_written_or_spent(
    planted, tmp_path, kind, complaint
):
    before = everything(tmp_path)
    phi, labels = spoilt(planted, kind)
    with pytest.raises(BadInput, match=complaint):
        repro.private_reward(phi, **BUDGET, labels=labels, output=tmp_path / "r.json")
    assert everything(tmp_path) == before


def test_bad_files_are_refused(matrix, tmp_path, capsys):
    phi, labels = matrix
    cut = tmp_path / "cut.npy"
    cut.write_bytes(phi.read_bytes()[:90])
    text = tmp_path / "text.csv"
    text.write_text("a,b\n1,2\n")
    objects = tmp_path / "objects.npy"
    np.save(objects, np.array([{"a": 1}, None], dtype=object), allow_pickle=True)
    for path in (cut, text, objects, tmp_path / "absent.npy", tmp_path, tmp_path / "x.txt"):
        assert (
            status_of(main, [str(path), str(tmp_path / "r.json"), *WORDS, f"labels={labels}"]) == 2
        )
        assert capsys.readouterr().err.count("\n") == 1
    for out in (tmp_path / "r.txt", tmp_path / "no" / "r.json", phi):
        assert status_of(main, [str(phi), str(out), *WORDS, f"labels={labels}"]) == 2
    assert not (tmp_path / "state").exists()


def test_one_pair_of_texts_is_refused(records):
    with pytest.raises(BadInput, match="allowed: 2 to 5000000 pairs"):
        repro.private_reward(records[:1], **BUDGET)


def test_labels_and_rewards_share_one_budget(pairs, records):
    repro.privatize(records[:40], 0.5)
    with pytest.raises(BadInput, match="each counts.*total is epsilon 1.5 and delta 0.0"):
        repro.private_reward(pairs, **BUDGET)
    with pytest.raises(BadInput, match="and one annotator costs at most epsilon 1 and delta 0.0"):
        repro.private_reward(pairs, **BUDGET, unit="who", at_most=2)
    made = repro.private_reward(pairs, **BUDGET, compose=True)
    assert made.card["earlier_epsilons"] == [0.5]
    assert made.card["earlier_kinds"] == ["labels"]
    lower = repro.private_reward(pairs, **{**BUDGET, "epsilon": 0.25}, compose=True)
    assert lower.card["earlier_epsilons"] == [0.5, 1.0]
    assert lower.card["earlier_kinds"] == ["labels", "reward"]
    with pytest.raises(
        BadInput,
        match="shares .* with an earlier release, and 2 rewards of .* epsilon 2.75 and",
    ):
        repro.privatize(records[:40], 1)
    later = repro.privatize(records[:40], 1, compose=True)
    assert later.manifest["earlier_epsilons"] == [0.25, 0.5, 1.0]
    assert later.manifest["total_delta"] == 2e-6
    assert repro.audit(later, records[:40], ledger=default_folder()).status == 0
    later.manifest["total_delta"] = 1e-7
    assert repro.audit(later, records[:40], ledger=default_folder()).status == 4


def test_a_total_delta_is_not_free(records, tmp_path):
    done = repro.privatize(records[:40], 1, ledger=tmp_path / "l")
    done.manifest["total_delta"] = 0.0123456789
    assert repro.audit(done, records[:40]).free == [
        "the manifest's earlier budgets, which the ledger alone knows: repeat with "
        f"ledger={default_folder()}, or with the ledger= that was given to the release"
    ]
    assert repro.audit(done, records[:40], ledger=tmp_path / "l").free == [
        "the manifest's earlier budgets: they are not the ledger's"
    ]


def test_a_sum_of_deltas_beyond_a_double_is_the_ledgers(records, tmp_path):
    for delta in ("0.01234567891", "1e-15"):
        repro.private_reward(records, 1, delta, 1, ledger=tmp_path / "l", compose=True, weak=True)
    done = repro.privatize(records[:40], 1, ledger=tmp_path / "l", compose=True)
    assert repro.audit(done, records[:40], ledger=tmp_path / "l").free == []


def test_what_was_spent_is_published_with_the_same_bytes(pairs, tmp_path, monkeypatch):
    out = tmp_path / "r.json"
    with monkeypatch.context() as patch:
        patch.setattr(Draft, "place", _full)
        patch.setattr("repro.release.ledger_file.Draft", _Kept)
        with pytest.raises(OSError, match="No space left.*resume=true"):
            repro.private_reward(pairs, **BUDGET, output=out)
    assert not out.exists()
    (debit,) = debits()
    assert debit.answers is not None
    with pytest.raises(BadInput, match="is spent and not published: resume=true publishes it"):
        repro.private_reward(pairs, **BUDGET, compose=True, output=out)
    with pytest.raises(BadInput, match="nothing to resume"):
        repro.privatize(pairs, resume=True, output=tmp_path / "labels.jsonl")
    made = repro.private_reward("(not read)", output=out, resume=True)
    assert out.read_bytes() == debit.answers == made.content
    assert [one.answers for one in debits()] == [None]
    with pytest.raises(BadInput, match="no reward of this ledger"):
        repro.private_reward(pairs, output=tmp_path / "again.json", resume=True)


def test_a_name_that_is_taken_after_the_debit_is_told_with_what_was_spent(
    pairs, tmp_path, monkeypatch
):
    from repro.release.ledger import Ledger

    spend = Ledger.spend

    def taking(self, debit):
        spend(self, debit)
        (tmp_path / "r.json").write_text("mine")

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "spend", taking)
        with pytest.raises(BadInput, match=r"r\.json: exists; under another name, the budget is"):
            repro.private_reward(pairs, **BUDGET, output=tmp_path / "r.json")
    assert (tmp_path / "r.json").read_text() == "mine"
    (debit,) = debits()
    made = repro.private_reward(pairs, output=tmp_path / "s.json", resume=True)
    assert debit.answers == made.content == (tmp_path / "s.json").read_bytes()


class _Kept(Draft):
    """The ledger's own file may be written."""

    place_before = Draft.place

    def place(self, path, mode=None):
        type(self).place_before(self, path, mode)


def _full(self, path, mode=None):
    raise OSError(28, "No space left on device", str(path))


def test_nothing_can_be_read_before_the_budget_is_spent(pairs, tmp_path, monkeypatch):
    """At the moment of the debit no file holds a byte of the reward, or has its name."""
    from repro.release.ledger import Ledger

    seen, spend = [], Ledger.spend

    def watched(self, debit):
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        seen.append([path.name for path in files if b"theta" in path.read_bytes()])
        seen.append((tmp_path / "r.json").exists())
        spend(self, debit)

    monkeypatch.setattr(Ledger, "spend", watched)
    repro.private_reward(pairs, **BUDGET, output=tmp_path / "r.json")
    assert seen == [[], False]


def test_labels_reach_the_file_through_theta_alone(planted, tmp_path, monkeypatch):
    """With the same coins, all else of it is the same whatever the labels are."""
    from repro.labels.privacy import exact_normal
    from tests.labels.privacy.test_exact_normal import FixedBits

    phi, labels, _ = planted
    cards = []
    for number, chosen in enumerate((labels, -labels, np.ones_like(labels))):
        monkeypatch.setattr(exact_normal, "os", FixedBits())
        made = repro.private_reward(
            phi, **BUDGET, labels=chosen, covariance=True, ledger=tmp_path / f"{number}"
        )
        values = json.loads(made.content)
        values.pop("theta")
        cards.append(values)
    assert cards[0] == cards[1] == cards[2]


def test_every_release_has_noise_of_its_own(planted):
    made = [repro.private_reward(planted[0], **BUDGET, labels=planted[1], compose=True).theta
            for _ in range(3)]  # fmt: skip
    assert len({one.tobytes() for one in made}) == 3


def test_released_numbers_lie_on_the_grid_and_tell_nothing_below_it(planted):
    made = repro.private_reward(planted[0], **BUDGET, labels=planted[1], covariance=True)
    for values, name in ((made.theta, "output_grid"), (made.second_moment, "second_moment_grid")):
        steps = values / made.card["numbers"][name]
        assert (steps == np.rint(steps)).all()


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_reruns_on_a_planted_pair_are_consistent_with_the_claim(adjacency, thorough):
    """P(E under D) ≤ e^ε·P(E under D′) + δ for half lines, by Clopper and Pearson's bounds."""
    reruns = 1000 if thorough else 150
    given = RewardBudget(1.0, 1e-6, 2.0, 2, adjacency)
    noise = calibrated(given)
    common = np.tile(np.array([[2.0, 0.0], [-2.0, 0.0]], np.float32), (100, 1))
    ends = [[0.0, 2.0]], [[0.0, -2.0]] if adjacency != ADD_REMOVE else np.zeros((0, 2))
    sides = [np.concatenate([common, np.array(end, np.float32).reshape(-1, 2)]) for end in ends]
    seen = [np.array([drawn(side, given, noise)[0][1] for _ in range(reruns)]) for side in sides]
    assert seen[0].std() > 10 * noise.output
    cuts = np.quantile(seen[0], [0.1, 0.3, 0.5, 0.7, 0.9])
    level = 1 - 1e-3 / 20
    for one, other in (seen, seen[::-1]):
        for sign in (1, -1):
            hits = [(sign * side[:, None] > sign * cuts).sum(0) for side in (one, other)]
            least = lower(hits[0], reruns, level)
            most = upper(hits[1], reruns, level)
            assert (least <= np.exp(given.epsilon) * most + given.delta).all()


@pytest.mark.parametrize("spoil", ["not json", "{}", '{"format": "repro-reward/1"}', "[]"])
def test_what_is_no_reward_is_refused(tmp_path, spoil):
    path = tmp_path / "r.json"
    path.write_text(spoil)
    with pytest.raises(BadInput, match="is no reward of the format"):
        PrivateReward.load(path)


def test_a_reward_of_texts_scores_no_features_and_the_reverse(pairs, planted):
    texts = repro.private_reward(pairs, **BUDGET)
    with pytest.raises(BadInput, match="texts, and as many prompts"):
        texts.score(np.zeros((3, 16)))
    with pytest.raises(BadInput, match="as many prompts"):
        texts.score(["a", "b"], ["p"])
    given = repro.private_reward(planted[0], **BUDGET, labels=planted[1], compose=True)
    with pytest.raises(BadInput, match=r"numbers of shape \(n, 4\)"):
        given.score(np.zeros((3, 5)))


@pytest.mark.parametrize(
    ("more", "units"),
    [
        ([], 300),
        (["size=3000"], 300),  # their number is public, whatever tunes the ridge
        (["adjacency=add_remove", "size=900"], 900),
        (["unit=annotator", "at_most=3", "size=301"], 101),
    ],
)
def test_a_delta_of_one_over_n_is_warned_of_before_it_is_spent(pairs, more, units, capsys):
    words = [*WORDS[::2], "weak=true", "compose=true", *more]
    for name, delta in (("large", 1 / units + 1e-9), ("small", 1 / units - 1e-9)):
        out = str(pairs.with_name(f"{name}.json"))
        assert status_of(main, [str(pairs), out, f"delta={delta:.12f}", *words]) == 0
        said = capsys.readouterr().out
        assert ("warning: delta=" in said.splitlines()[0]) == (name == "large")
        assert (f"satisfies delta = 1/{units};" in said) == (name == "large")


@pytest.mark.parametrize("more", [["adjacency=add_remove"], ["unit=annotator", "at_most=3"]])
def test_no_warning_tells_a_number_of_pairs_that_is_not_public(pairs, more, capsys):
    out = str(pairs.with_name("out.json"))
    assert status_of(main, [str(pairs), out, "delta=0.1", *WORDS[::2], *more]) == 0
    assert "warning:" not in capsys.readouterr().out
