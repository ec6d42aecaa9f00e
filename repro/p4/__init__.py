"""Mathematics of P4: private and robust offline alignment, from RLHF to DPO."""
