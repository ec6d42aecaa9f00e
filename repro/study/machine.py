"""What of this machine changes the last bits of a result: libraries, CPU kernels, linear algebra.

Verdicts do not depend on it; bytes may (at most 2.2e-10 relative between an EPYC and a Xeon with
AMX).  A cached block is used only where it would come out the same.
"""

from __future__ import annotations

import platform
from functools import cache


@cache
def machine() -> dict[str, object]:
    """Versions and kernels in use, plain values."""
    import numpy as np
    import scipy
    import torch
    from threadpoolctl import threadpool_info

    kernels = {
        f"{pool['internal_api']} {pool['version']} {pool.get('architecture', '')}"
        for pool in threadpool_info()
    }
    return {
        "machine": platform.machine(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "torch": torch.__version__,
        "torch_kernels": torch.backends.cpu.get_cpu_capability(),
        "kernels": sorted(kernels),
    }
