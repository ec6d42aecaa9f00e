"""One thread of linear algebra: as in a run, and quicker where tests share the cores."""

import torch

torch.set_num_threads(1)
