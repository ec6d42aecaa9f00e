"""Plans: what names a block, which checks run, and what the parts of the engine hand on."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.base.places import install_hint
from repro.core.check import Quantity
from repro.core.claims import Inequality
from repro.core.stream import stream
from repro.labels.preferences.label_law import fair_coins
from repro.labels.preferences.label_mixture import mixture_of_flips
from repro.study import discovery as extras
from repro.study import parallel
from repro.study import plan as plans
from repro.study.blocks import Block, BlockStore, _checksum, content_key
from repro.study.discovery import find
from repro.study.experiment import Overrides
from repro.study.parallel import machine
from repro.study.plan import blocks_of, built, measure_block

ONE = {"n_pairs": {"grid": [1e3, 1e4, 1e5]}}
SWEEPS = {**ONE, "constant": {"grid": [1e3, 1e4]}}


def blake(text: str, size: int = 16) -> str:
    return hashlib.blake2b(text.encode(), digest_size=size).hexdigest()


def test_a_content_key_is_the_hash_of_its_json_in_any_order():
    parts = {"b": 1, "a": [2.5, "x"]}
    assert content_key(parts) == blake('{"a": [2.5, "x"], "b": 1}')
    assert content_key(dict(reversed(parts.items()))) == content_key(parts)
    assert content_key({"a": (Overrides,)}) == blake(json.dumps({"a": [repr(Overrides)]}))


def test_a_block_lies_in_a_folder_named_by_two_digits(tmp_path):
    store, block = BlockStore(tmp_path), Block(0, 0, "abcd" * 8)
    values = np.array([[1.0, np.nan]])
    store.write(block, values)
    (path,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert path.relative_to(tmp_path).as_posix() == f"ab/{block.key}.npy"
    kept = np.load(path, allow_pickle=False)
    assert kept[-1] == _checksum(block, values.ravel())
    digest = hashlib.blake2b(block.key.encode() + values.tobytes(), digest_size=6).digest()
    assert kept[-1] == float(int.from_bytes(digest, "little"))
    assert np.array_equal(store.read(block, (1, 2)), values, equal_nan=True)


def test_what_killed_runs_left_is_swept(tmp_path):
    store, block = BlockStore(tmp_path), Block(0, 0, "abcd" * 8)
    store.write(block, np.zeros(2))
    draft = tmp_path / "ab" / ".x.draft-elsewhere-1.npy"
    draft.write_bytes(b"half")
    os.utime(draft, (0, 0))
    store.tidy()
    assert not draft.exists()
    assert store.read(block, (2,)) is not None


@pytest.mark.parametrize(
    "values", [np.arange(4), np.array([{"a": 1}], dtype=object), np.zeros((2, 2), np.float32)]
)
def test_other_arrays_are_no_blocks(tmp_path, values):
    store, block = BlockStore(tmp_path), Block(0, 0, "abcd" * 8)
    path = tmp_path / "ab" / f"{block.key}.npy"
    path.parent.mkdir()
    np.save(path, values, allow_pickle=True)
    assert store.read(block, (3,)) is None
    np.savez(path.with_suffix(""), a=np.zeros(3))
    path.with_suffix(".npz").rename(path)
    assert store.read(block, (3,)) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_in_place_of_a_block_is_not_waited_for(tmp_path):
    store, block = BlockStore(tmp_path), Block(0, 0, "abcd" * 8)
    (tmp_path / "ab").mkdir()
    os.mkfifo(tmp_path / "ab" / f"{block.key}.npy")
    assert store.read(block, (1,)) is None
    assert store.kept([block]) == 0


def test_a_disk_without_room_for_a_block_is_told(tmp_path, monkeypatch):
    class Full:
        def __init__(self, **more):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *left):
            pass

        def write(self, content):
            raise OSError(28, "No space left on device")

    assert BlockStore(tmp_path / "a").trouble() == ""
    monkeypatch.setattr("tempfile.TemporaryFile", Full)
    said = f"{tmp_path}/a cannot be written: No space left on device"
    assert BlockStore(tmp_path / "a").trouble() == said


class Trap:
    """Unpickling it raises."""

    def __reduce__(self):
        return sprung, ()


def sprung():
    raise SystemExit("code from data has run")


def test_a_pickle_in_place_of_a_block_is_not_opened(tmp_path):
    store, block = BlockStore(tmp_path), Block(0, 0, "abcd" * 8)
    path = tmp_path / "ab" / f"{block.key}.npy"
    path.parent.mkdir()
    np.save(path, np.array([Trap()], dtype=object), allow_pickle=True)
    with pytest.raises(SystemExit):
        np.load(path, allow_pickle=True)
    assert store.read(block, (1,)) is None


def test_a_block_is_named_by_everything_its_numbers_depend_on(plan_of, monkeypatch):
    plan, seen = plan_of(seed=3, replicates=4000), []
    other = dataclasses.replace(plan.setting, device="cuda")
    plan = dataclasses.replace(plan, setting=other)
    monkeypatch.setattr(plans, "content_key", lambda parts: seen.append(parts) or "key")
    monkeypatch.setattr(plans, "machine", lambda: "this one")
    monkeypatch.setattr(plans, "code_fingerprint", lambda *modules: f"code of {modules}")
    blocks = blocks_of(plan)
    assert [(b.check, b.block) for b in blocks] == [(c, b) for c in range(2) for b in range(10)]
    assert seen[13] == {
        "code": "code of ('theorems.toy', 'repro.core.check')", "machine": "this one",
        "slug": "toy", "device": "cuda",
        "seed": 3, "check": "constant", "content": built(plan).swept[1].alone.identity,
        "replicates": 400, "block": 3, "count": 1,
    }  # fmt: skip
    assert seen[10]["content"] == built(plan).swept[1].identity


def test_a_stage_that_is_chosen_has_its_code_in_the_key(plan_of, monkeypatch):
    seen = []
    monkeypatch.setattr(plans, "code_fingerprint", lambda *modules: seen.append(modules) or "x")
    blocks_of(plan_of(stages={"labels": fair_coins}))
    plan = plan_of()
    chosen = dataclasses.replace(plan.setting, channel=mixture_of_flips(0.3, 0.35, 1.0))
    blocks_of(dataclasses.replace(plan, setting=chosen))
    assert seen == [("theorems.toy", "repro.study.plan")] * 2


def test_the_machine_is_named_by_what_changes_bytes():
    found = machine()
    assert {"numpy", "scipy", "torch", "python", "machine", "vectors", "kernels"} == set(found)
    assert found["torch"] == torch.__version__
    json.dumps(found)


def test_replicates_are_spread_over_blocks(plan_of):
    def of(times):
        sweep = {"n_pairs": {"grid": [1e3, 1e4, 1e5], "replicates": times}}
        plan = plan_of(sweeps=SWEEPS | sweep)
        return plan.replicates(built(plan).swept[0])

    assert [of(1), of(2.5), of(0.001)] == [40, 100, 1]


def test_only_the_named_checks_run(plan_of):
    def names(*only):
        made = built(plan_of(only=only or None))
        assert [one.name for one in made.checks] == [one.name for one in made.swept]
        return [one.name for one in made.checks]

    assert names() == ["n_pairs", "constant"]
    assert names("constant") == ["constant"]
    with pytest.raises(BadInput) as refused:
        names("constant", "n_pair")
    assert str(refused.value) == "only=n_pair: did you mean n_pairs? allowed: n_pairs, constant"
    with pytest.raises(BadInput, match="a control runs with its check; did you mean n_pairs?"):
        names("n_pairs/its_control")


def test_an_estimate_is_told_the_replicates_of_all_blocks(plan_of, toy):
    assert plan_of().estimate() == ""
    toy(estimate=lambda checks, points: f"{[one.name for one in checks]} needs {points}")
    wanted = "['n_pairs', 'constant'] needs {'n_pairs': 400, 'constant': 400}"
    assert plan_of().estimate() == wanted


def test_blocks_are_measured_on_the_stream_of_the_first(plan_of):
    plan = plan_of(seed=5, replicates=1000)
    blocks = blocks_of(plan)
    cuts = [(0, 4, False), (4, 4, True), (8, 2, True)]
    assert [(one.block, one.count, one.alone) for one in blocks] == [*cuts, *cuts]
    assert len({one.key for one in blocks}) == 6
    with_control, without = measure_block(plan, blocks[3]), measure_block(plan, blocks[4])
    for values, first, factors in [(with_control, 0, [1, 2]), (without, 4, [1])]:
        noise = stream(5, "toy", "constant", 1e4, first).chisquare(4, 400) / 4
        assert values.shape == (2, len(factors), 4, 100)
        wanted = np.multiply.outer(factors, noise)
        assert np.array_equal(values[1].reshape(len(factors), 400), wanted)


@pytest.mark.parametrize(
    ("replicates", "times", "first"),
    [(400, 1, 10), (1000, 1, 4), (1000, 0.01, 10), (4000, 0.01, 3), (4000, 20, 1)],
)
def test_controls_have_the_replicates_of_smoke_and_a_replicate_a_block(
    plan_of, replicates, times, first
):
    sweep = {"n_pairs": {"grid": [1e3, 1e4, 1e5], "replicates": times}}
    plan = plan_of(replicates=replicates, sweeps=SWEEPS | sweep)
    assert plan.with_controls(built(plan).swept[0]) == first


def test_a_number_of_a_whole_block_is_measured_of_controls_in_half_of_them(plan_of, toy, toy_check):
    toy(checks=[toy_check(quantity=Quantity("x", counted, stream_per_block=True))])
    plan = plan_of(replicates=4000, sweeps=ONE)
    assert [block.alone for block in blocks_of(plan)] == [False] * 5 + [True] * 5
    toy(checks=[toy_check(quantity=Quantity("x", counted, stream_per_block=True),
                          claim=Inequality("x is small"))])  # fmt: skip
    plan = plan_of(replicates=4000, sweeps=ONE)
    assert [block.alone for block in blocks_of(plan)] == [False, *[True] * 9]


ASKED = []
"""Worlds that ``counted`` was asked for; no closure, whose content would be part of the key."""


def counted(world, algorithm, rng, replicates):
    ASKED.append(world)
    return np.arange(replicates)


def test_what_draws_nothing_is_measured_once_for_all_blocks_and_seeds(plan_of, toy, toy_check):
    asked = ASKED
    asked.clear()
    exact = Quantity("x", counted, evidence="exact")
    toy(checks=[toy_check(quantity=exact, wrong=[], expected="contradicted", why="w")])
    plans._undrawn.cache_clear()
    both = [plan_of(seed=seed, sweeps=ONE) for seed in (1, 2)]
    found = [measure_block(plan, block) for plan in both for block in blocks_of(plan)]
    assert len(found) == 2
    assert len(asked) == 3
    assert all((one == np.arange(40)).all() for one in found)
    found[0][:] = 7  # a caller's own array
    assert (measure_block(both[0], blocks_of(both[0])[0]) == np.arange(40)).all()
    other = plan_of(exponent=-2.0, sweeps=ONE)
    measure_block(other, blocks_of(other)[0])
    assert len(asked) == 6
    assert len({block.key for plan in both for block in blocks_of(plan)}) == 1
    more = plan_of(replicates=800, sweeps=ONE)  # of another size
    assert measure_block(more, blocks_of(more)[0]).shape[-1] == 80
    plans._undrawn.cache_clear()


@pytest.mark.parametrize("evidence", ["exact", "proved"])
def test_a_check_without_chance_is_one_block_and_may_not_draw(plan_of, toy, toy_check, evidence):
    quantity = dataclasses.replace(toy_check().quantity, evidence=evidence)
    toy(checks=[toy_check(quantity=quantity)])
    plan = plan_of(sweeps=ONE)
    assert len({block.key for block in blocks_of(plan)}) == 1
    with pytest.raises(RuntimeError, match=f"n_pairs is {evidence}, and draws"):
        measure_block(plan, blocks_of(plan)[0])


def test_checks_that_share_draws_meet_the_same_ones(plan_of, toy, toy_check):
    toy(checks=[toy_check(draws="both"), toy_check(name="again", draws="both")])
    plan = plan_of(seed=5, sweeps=ONE | {"again": ONE["n_pairs"]})
    first, second = (measure_block(plan, block) for block in blocks_of(plan))
    noise = stream(5, "toy", "both", 1e4, 0).chisquare(4, 400) / 4
    assert np.array_equal(first[1, 1].ravel(), noise)
    assert np.array_equal(first, second)


def test_whoever_measures_works_out_no_claim(plan_of, monkeypatch):
    monkeypatch.setattr(plans.Experiment, "declared", lambda *given: pytest.fail("a claim"))
    plan = plan_of()
    assert measure_block(plan, blocks_of(plan)[0]).shape == (4, 2, 10, 40)


def test_a_plan_is_built_once_and_another_is_another(plan_of):
    first = built(plan_of())
    assert built(plan_of()) is first
    other = built(plan_of(exponent=-2.0))
    assert other is not first
    assert {world.exponent for world in other.swept[0].measured} == {-2.0}
    assert plans._ByContent(plan_of()) != 3
    assert plans._ByContent(plan_of()) != plans._ByContent(plan_of(seed=1))


def test_a_wrong_value_of_the_config_is_named_below_theorem(plan_of):
    with pytest.raises(BadInput, match=r"^theorem\.worlds\.power\.exponent=steep: allowed"):
        built(plan_of(exponent="steep"))


def test_one_thread_a_process():
    before = torch.get_num_threads()
    try:
        for threads in (3, 1, 2):
            torch.set_num_threads(threads)
            parallel.single_thread()
            assert torch.get_num_threads() == 1
        torch.set_num_threads(2)
        block = Block(0, 0, "")
        assert list(parallel.in_process(lambda b: torch.get_num_threads(), [block])) == [(block, 1)]
    finally:
        torch.set_num_threads(before)


def test_cores_that_this_process_may_use(monkeypatch):
    monkeypatch.setattr(
        parallel.os, "sched_getaffinity", lambda pid: set(range(pid + 3)), raising=False
    )
    assert parallel.available_cores() == 3
    monkeypatch.delattr(parallel.os, "sched_getaffinity")
    monkeypatch.setattr(parallel.os, "cpu_count", lambda: 7)
    assert parallel.available_cores() == 7
    monkeypatch.setattr(parallel.os, "cpu_count", lambda: None)
    assert parallel.available_cores() == 1


def test_an_extra_is_asked_for_by_its_name(monkeypatch, toy):
    toy()
    assert extras.missing_library(find("toy")) == ""
    extras.require_extra(find("toy"))
    toy(extra="llm")
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "tokenizers" else 1)
    assert extras.missing_library(find("toy")) == "tokenizers"
    with pytest.raises(BadInput) as refused:
        extras.require_extra(find("toy"))
    assert str(refused.value) == (
        f"theorem=toy: needs tokenizers, which is not installed; {install_hint('llm')}"
    )
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert extras.missing_library(find("toy")) == "transformers"
    monkeypatch.setattr(extras, "find_spec", lambda name: 1)
    assert extras.missing_library(find("toy")) == ""
