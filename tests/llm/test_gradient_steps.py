"""The loop: what a step is, what a seed fixes, and going on from a checkpoint."""

import copy

import pytest
import torch

from repro.base.errors import BadInput
from repro.llm.checkpoints import Checkpoint
from repro.llm.gradient_steps import Diverged, batches, train


class Stopped(Exception):
    pass


@pytest.fixture
def linear():
    torch.manual_seed(0)
    return torch.nn.Linear(3, 1)


X = torch.randn(40, 3, generator=torch.Generator().manual_seed(1))
Y = X @ torch.tensor([1.0, -2.0, 0.5])


def squared(model):
    return lambda index: (model(X[index])[:, 0] - Y[index]).square()


def test_one_plain_step_is_the_gradient(linear, steps):
    one = steps.model_copy(
        update={"optimizer": "sgd", "batch_size": 40, "learning_rate": 0.1, "max_grad_norm": None}
    )
    before = copy.deepcopy(linear)
    squared(before)(torch.arange(40)).mean().backward()
    train(linear, squared(linear), 40, one, 0)
    expected = before.weight - 0.1 * before.weight.grad
    torch.testing.assert_close(linear.weight, expected)


def test_gradients_are_shortened_where_asked(linear, steps):
    one = steps.model_copy(
        update={"optimizer": "sgd", "batch_size": 40, "learning_rate": 1.0, "max_grad_norm": 0.01}
    )
    before = copy.deepcopy(linear)
    train(linear, squared(linear), 40, one, 0)
    moved = [
        (a - b).detach().square().sum()
        for a, b in zip(linear.parameters(), before.parameters(), strict=True)
    ]
    assert float(sum(moved).sqrt()) == pytest.approx(0.01, rel=1e-3)


def test_batches_are_whole_and_each_epoch_is_shuffled(steps):
    two = steps.model_copy(update={"epochs": 2, "batch_size": 8})
    found = batches(20, two, 5)
    assert [len(index) for index in found] == [8] * 4
    assert len(set(torch.cat(found[:2]).tolist())) == 16
    assert not torch.equal(found[0], found[2])
    assert all(torch.equal(a, b) for a, b in zip(found, batches(20, two, 5), strict=True))
    assert not torch.equal(found[0], batches(20, two, 6)[0])


def test_fewer_examples_than_a_batch_are_one_batch(steps):
    assert [len(index) for index in batches(3, steps, 0)] == [3]


def test_a_stopped_run_goes_on_to_the_same_bytes(linear, steps, tmp_path):
    some = steps.model_copy(update={"epochs": 3, "batch_size": 8, "checkpoint_every": 2})
    whole, stopped = copy.deepcopy(linear), copy.deepcopy(linear)
    train(whole, squared(whole), 40, some, 0)
    calls = []

    def until_the_ninth(index):
        calls.append(index)
        if len(calls) == 9:
            raise Stopped
        return squared(stopped)(index)

    with pytest.raises(Stopped):
        train(stopped, until_the_ninth, 40, some, 0, checkpoint=tmp_path / "run")
    again = copy.deepcopy(linear)
    left = train(again, squared(again), 40, some, 0, checkpoint=tmp_path / "run")
    assert len(left) == 15 - 8
    assert torch.equal(again.weight, whole.weight)
    assert not (tmp_path / "run").exists()


def test_without_checkpoints_nothing_is_written(linear, steps, tmp_path):
    train(linear, squared(linear), 40, steps, 0, checkpoint=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", ["text", "other"])
def test_a_damaged_checkpoint_is_refused(linear, steps, tmp_path, damage):
    kept = Checkpoint(tmp_path)
    if damage == "text":
        kept.file.write_text("no tensors")
    else:
        other = torch.nn.Linear(2, 2, bias=False)
        kept.save(other, torch.optim.SGD(other.parameters(), lr=1.0), 3)
    some = steps.model_copy(update={"checkpoint_every": 1})
    with pytest.raises(BadInput, match="is no checkpoint of this run"):
        train(linear, squared(linear), 40, some, 0, checkpoint=tmp_path)


def test_a_checkpoint_runs_no_code(linear, tmp_path):
    class Harm:
        def __reduce__(self):
            return (tmp_path.joinpath("harmed").mkdir, ())

    kept = Checkpoint(tmp_path)
    torch.save({"format": 1, "step": Harm()}, kept.file)
    with pytest.raises(BadInput):
        kept.restore(linear, torch.optim.SGD(linear.parameters(), lr=1.0))
    assert not (tmp_path / "harmed").exists()


def test_steps_too_large_are_told(linear, steps):
    wild = steps.model_copy(
        update={"optimizer": "sgd", "learning_rate": 1e30, "epochs": 5, "max_grad_norm": None}
    )
    with pytest.raises(Diverged):
        train(linear, squared(linear), 40, wild, 0)


def test_a_last_step_too_large_is_told(linear, steps):
    wild = steps.model_copy(
        update={"optimizer": "sgd", "learning_rate": 3e38, "batch_size": 40, "max_grad_norm": None}
    )
    with pytest.raises(Diverged, match="after the last step"):
        train(linear, lambda index: 1e3 * squared(linear)(index), 40, wild, 0)


def test_mixed_precision_trains(linear, steps):
    losses = train(linear, squared(linear), 40, steps, 0, precision="bfloat16")
    assert len(losses) == 2
    assert linear.weight.dtype == torch.float32
