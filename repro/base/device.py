"""Where tensors are worked on."""

from __future__ import annotations

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
