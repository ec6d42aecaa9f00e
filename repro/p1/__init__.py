"""Mathematics of P1: KL-regularised RLHF under local differential privacy."""
