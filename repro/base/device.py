"""Where tensors are worked on, and where tables that are costly to build are kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from repro.base.errors import BadInput


def resolve_device(device: str) -> str:
    """``cpu`` or ``cuda``; auto takes CUDA where there is one.

    Raises:
        BadInput: CUDA is asked for and absent.
    """
    if device == "cpu":
        return device
    import torch

    available = torch.cuda.is_available()
    if device == "cuda" and not available:
        raise BadInput("device", device, "no CUDA device here; allowed: cpu, auto")
    return "cuda" if available else "cpu"


@dataclass
class _Place:
    """Where instances are built: no numbers depend on it, so that no world has to hold it."""

    cache: Path
    device: str


_PLACE = _Place(Path("outputs/.cache/features"), "cpu")


@contextmanager
def built_at(cache: Path, device: str) -> Iterator[None]:
    """Inside, instances keep tables that are costly to build in that folder, on that device."""
    before = vars(_PLACE).copy()
    _PLACE.cache, _PLACE.device = cache, device
    try:
        yield
    finally:
        vars(_PLACE).update(before)


def device_in_use() -> str:
    """The device of ``built_at``, for simulators; it is part of every block's key."""
    return _PLACE.device


def cache_in_use() -> Path:
    """The folder of ``built_at``; no numbers depend on it."""
    return _PLACE.cache
