"""Checkpoints of a training loop: safetensors and plain tensors, written whole, no pickled code."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from repro.base.errors import BadInput
from repro.base.files import regular_file
from repro.llm.extra import library

FORMAT = 1


@dataclass(frozen=True)
class Checkpoint:
    """One file in a folder of its own; it holds weights that private labels have trained."""

    folder: Path

    @property
    def file(self) -> Path:
        """Where the state lies."""
        return self.folder / "state.pt"

    def save(self, model: Any, optimizer: torch.optim.Optimizer, step: int) -> None:
        """Replace the checkpoint; a crash leaves the one before."""
        self.folder.mkdir(parents=True, exist_ok=True)
        weights = {n: p.detach().cpu() for n, p in model.named_parameters() if p.requires_grad}
        state = {
            "format": FORMAT,
            "step": step,
            "weights": weights,
            "optimizer": optimizer.state_dict(),
        }
        handle, name = tempfile.mkstemp(dir=self.folder)
        os.close(handle)
        torch.save(state, name)
        os.replace(name, self.file)

    def restore(self, model: Any, optimizer: torch.optim.Optimizer) -> int:
        """Put the saved state in place; the number of steps it has taken, 0 where none is.

        Raises:
            BadInput: the file is no checkpoint of this model.
        """
        if not os.path.lexists(self.file):
            return 0
        regular_file("checkpoint", self.file)
        try:
            state = torch.load(self.file, weights_only=True, map_location="cpu")
            trained = {n: p for n, p in model.named_parameters() if p.requires_grad}
            if state["format"] != FORMAT or set(state["weights"]) != set(trained):
                raise ValueError("another model")
            with torch.no_grad():
                for name, weight in state["weights"].items():
                    trained[name].copy_(weight)
            optimizer.load_state_dict(state["optimizer"])
            return int(state["step"])
        except Exception:  # noqa: BLE001 - a damaged file fails in many ways
            allowed = "is no checkpoint of this run; remove it to start anew"
            raise BadInput("checkpoint", self.file, allowed) from None

    def remove(self) -> None:
        """Forget the run: it is finished."""
        shutil.rmtree(self.folder, ignore_errors=True)


def write_weights(model: Any, file: Path) -> None:
    """Keep a finished model's weights, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    weights = {n: p.detach().cpu().contiguous() for n, p in model.named_parameters()}
    handle, name = tempfile.mkstemp(dir=file.parent)
    os.close(handle)
    library("safetensors.torch").save_file(weights, name)
    os.replace(name, file)


def read_weights(model: Any, file: Path) -> bool:
    """Put kept weights in place; False where there are none.

    Raises:
        BadInput: the file holds no weights of this model.
    """
    if not os.path.lexists(file):
        return False
    regular_file("checkpoint", file)
    try:
        found = library("safetensors.torch").load_file(file)
        own = dict(model.named_parameters())
        if set(found) != set(own):
            raise ValueError("another model")
        with torch.no_grad():
            for name, weight in found.items():
                own[name].copy_(weight)
    except Exception:  # noqa: BLE001 - a damaged file fails in many ways
        allowed = "holds no weights of this run; remove it to start anew"
        raise BadInput("checkpoint", file, allowed) from None
    return True
