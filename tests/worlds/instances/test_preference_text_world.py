"""The world of text pairs: geometry without labels, a planted reward, a digest of content."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.labels.preferences.pair_records import PreferencePair
from repro.labels.preferences.synthetic_pairs import synthetic_pairs
from repro.worlds.instances.assumptions import realizable_and_covered
from repro.worlds.instances.choices import TextChoice
from repro.worlds.instances.linear import LinearWorld
from repro.worlds.instances.preference_text import (
    plant_theta,
    preference_text_world,
    text_pairs,
    with_digest,
)
from repro.worlds.instances.text_features import hash_order, text_features

Writer = Callable[[str, list[PreferencePair]], str]


def choice(path: str | tuple[str, ...] | None = None, **change) -> TextChoice:
    fields = {"num_features": 8, "theta_share": 0.8, "reference_tilt": 1.0, "kl_weight": 0.5}
    return TextChoice(kind="preference_text", path=path, **(fields | change))


def flipped(pairs: list[PreferencePair]) -> list[PreferencePair]:
    return [PreferencePair(p.prompt, p.rejected, p.chosen) for p in pairs]


@pytest.fixture
def write(tmp_path) -> Writer:
    def write_file(name: str, pairs: list[PreferencePair]) -> str:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        rows = [{"prompt": p.prompt, "chosen": p.chosen, "rejected": p.rejected} for p in pairs]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    return write_file


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("features")


@pytest.fixture(scope="module")
def generated(cache) -> LinearWorld:
    return preference_text_world(choice(), cache, "cpu")


def test_a_state_is_a_pair(generated):
    assert generated.features.shape == (400, 2, 8)
    assert generated.feature_diff.shape == (400, 8)
    assert generated.features.dtype == torch.float64
    torch.testing.assert_close(generated.features[:, 0], -generated.features[:, 1])
    expected = text_features(synthetic_pairs(), 8).feature_diff
    np.testing.assert_allclose(generated.feature_diff.numpy(), expected, rtol=1e-15)


def test_probabilities(generated):
    assert float(generated.state_prob.sum()) == pytest.approx(1)
    torch.testing.assert_close(generated.reference.sum(1), torch.ones(400, dtype=torch.float64))
    assert bool((generated.reference > 0).all())
    assert float(generated.cell_prob.sum()) < 1


def test_reference_prefers_the_longer_response(generated):
    comparisons, _ = hash_order(synthetic_pairs())
    longer = np.array([len(first) - len(second) for _, first, second in comparisons])
    log_odds = torch.logit(generated.reference[:, 0]).numpy()
    assert np.corrcoef(np.sign(longer), log_odds)[0, 1] > 0.5
    assert np.mean(log_odds**2) == pytest.approx(1)  # a tilt of 1 root mean square


def test_no_tilt_is_a_uniform_reference(cache):
    world = preference_text_world(choice(reference_tilt=0.0), cache, "cpu")
    assert bool((world.reference == 0.5).all())


def test_reward_is_planted_inside_the_class(generated):
    text = text_features(synthetic_pairs(), 8)
    planted = plant_theta(text.feature_diff, text.label_sign)
    np.testing.assert_allclose(generated.theta.numpy(), planted, rtol=1e-12)
    assert float(generated.theta.norm()) == pytest.approx(0.8 * generated.radius)
    assert generated.reward_bound == pytest.approx(generated.radius)  # longest row has norm 1
    assert float(generated.reward_diff.abs().max()) < generated.reward_bound
    assert all(holds for _, holds, _ in realizable_and_covered(generated))


def test_flipped_labels_negate_the_reward_and_nothing_else(write, cache):
    pairs = synthetic_pairs(60)
    one = preference_text_world(choice(write("a.jsonl", pairs)), cache, "cpu")
    other = preference_text_world(choice(write("b.jsonl", flipped(pairs))), cache, "cpu")
    assert torch.equal(one.theta, -other.theta)
    assert torch.equal(one.features, other.features)
    assert torch.equal(one.reference, other.reference)
    assert one.radius == other.radius


def test_cached_geometry_is_the_same_world(write, tmp_path):
    path = write("a.jsonl", synthetic_pairs(60))
    fresh = preference_text_world(choice(path), tmp_path / "one", "cpu")
    again = preference_text_world(choice(path), tmp_path / "one", "cpu")
    assert torch.equal(fresh.features, again.features)
    assert torch.equal(fresh.theta, again.theta)


def test_pairs_come_from_the_file_or_are_generated(write):
    pairs = synthetic_pairs(25)
    path, rest = write("a.jsonl", pairs[:20]), write("b.jsonl", pairs[20:])
    assert text_pairs(choice(path)) == pairs[:20]
    assert text_pairs(choice((path, rest))) == pairs
    assert text_pairs(choice()) == synthetic_pairs()
    for empty in ("", ()):  # a variable of the shell that is not set
        with pytest.raises(BadInput, match=r"^instance\.path"):
            text_pairs(choice(empty))


def test_digest_is_of_the_content_not_of_the_path(write):
    pairs = synthetic_pairs(40)
    one = with_digest(choice(write("a.jsonl", pairs)))
    moved = with_digest(choice(write("elsewhere/b.jsonl", pairs)))
    halves = (write("c.jsonl", pairs[:20]), write("d.jsonl", pairs[20:]))
    assert one.digest == moved.digest == with_digest(choice(halves)).digest
    assert len(one.digest) == 32
    assert one.model_copy(update={"digest": None}) == choice(one.path)


def edited(pairs: list[PreferencePair]) -> list[PreferencePair]:
    last = pairs[-1]
    return [*pairs[:-1], PreferencePair(last.prompt, "?" + last.chosen[1:], last.rejected)]


def answered_otherwise(pairs: list[PreferencePair]) -> list[PreferencePair]:
    last = pairs[-1]
    return [*pairs[:-1], PreferencePair(last.prompt, last.chosen, last.rejected + "?")]


def reborder(pairs: list[PreferencePair]) -> list[PreferencePair]:
    """The same characters in the same order, cut elsewhere."""
    p = pairs[0]
    return [PreferencePair(p.prompt + p.chosen[0], p.chosen[1:], p.rejected), *pairs[1:]]


@pytest.mark.parametrize(
    "change",
    [
        edited,
        answered_otherwise,
        flipped,
        reborder,
        lambda pairs: pairs[::-1],
        lambda pairs: pairs[:-1],
    ],
    ids=[
        "one character",
        "one of the last",
        "labels flipped",
        "borders moved",
        "order",
        "one pair less",
    ],
)
def test_digest_changes_with_content(write, change):
    pairs = synthetic_pairs(40)
    one = with_digest(choice(write("a.jsonl", pairs)))
    other = with_digest(choice(write("a.jsonl", change(pairs))))
    assert one.digest != other.digest


def test_digest_of_the_generated_pairs_is_stable():
    assert with_digest(choice()).digest == with_digest(choice(num_features=12)).digest


def test_too_few_pairs_are_refused(write, cache):
    with pytest.raises(BadInput, match="at least 20 pairs"):
        preference_text_world(choice(write("a.jsonl", synthetic_pairs(19))), cache, "cpu")
