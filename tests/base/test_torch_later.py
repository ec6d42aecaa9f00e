"""Experiments that need numpy alone do not wait for torch."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from repro.base import torch_later
from repro.labels.preferences import label_law

RUN = """
import sys, repro
run = repro.run("kl_contraction", budget="smoke", tracking="none", only=["random_channels"],
                output_dir=sys.argv[1], overrides=["compute.workers=1"])
assert run.result.as_expected
print("torch" in sys.modules)
from repro.base.torch_later import Tensor, torch
assert not isinstance(1.0, Tensor) and "torch" not in sys.modules
assert isinstance(torch.ones(2), Tensor)
print("torch" in sys.modules, torch.get_num_threads())
"""


def test_an_experiment_on_numpy_alone_imports_no_torch(tmp_path):
    command = [sys.executable, "-c", RUN, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.split()[-3:] == ["False", "True", "1"]


def test_it_stands_for_torch():
    assert torch_later.torch.float64 is torch.float64
    assert isinstance(torch.zeros(1), torch_later.Tensor)
    assert not isinstance(np.zeros(1), torch_later.Tensor)


@pytest.mark.parametrize("stage", label_law.LAWS, ids=lambda stage: stage.__name__)
def test_laws_give_arrays_and_tensors_the_same_bits(stage):
    win_prob = np.random.default_rng(0).uniform(size=1000)
    epsilon = [0.7] if "random" in stage.__name__ else []
    tensors = stage(torch.from_numpy(win_prob), *epsilon).numpy()
    apply = label_law.released if epsilon else label_law.on_arrays
    np.testing.assert_array_equal(apply(stage, win_prob, *epsilon), tensors)


@pytest.mark.parametrize("stage", label_law.ESTIMATES, ids=lambda stage: stage.__name__)
def test_estimates_give_arrays_and_tensors_the_same_bits(stage):
    fitted = np.random.default_rng(0).normal(size=(3, 4))
    truth = np.arange(4.0)
    tensors = stage(torch.from_numpy(fitted), torch.from_numpy(truth)).numpy()
    np.testing.assert_array_equal(label_law.on_arrays(stage, fitted, truth), tensors)
