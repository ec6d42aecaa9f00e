"""Torch, imported when it is first used.

Importing torch takes a second of CPU or more, and a third of the experiments need numpy alone.
Modules that both kinds of experiments read have ``torch`` and ``Tensor`` from here.
"""

from __future__ import annotations

import sys
from threading import Event
from typing import TYPE_CHECKING, Any

_one_thread = Event()
"""Set where torch is to have one thread in this process, also if it is imported later."""


def single_thread() -> None:
    """One thread of linear algebra a process: same bytes, and no fight over the cores."""
    _one_thread.set()
    if "torch" in sys.modules:
        _limit_threads(sys.modules["torch"])


def _limit_threads(library: Any) -> None:
    if _one_thread.is_set() and library.get_num_threads() != 1:
        library.set_num_threads(1)


if TYPE_CHECKING:
    import torch
    from torch import Tensor
else:

    class _Later:
        """Has the attributes of torch from the first use of one."""

        def __getattr__(self, name: str) -> Any:
            import torch as library

            _limit_threads(library)
            vars(self).update(vars(library))
            return getattr(library, name)

    class _Instances(type):
        def __instancecheck__(cls, value: object) -> bool:
            return "torch" in sys.modules and isinstance(value, torch.Tensor)

    class Tensor(metaclass=_Instances):
        """Stands for ``torch.Tensor`` in annotations and in ``isinstance``."""

    torch = _Later()

__all__ = ["Tensor", "single_thread", "torch"]
