"""P1, section 5: online exploration with a KL-regularised objective (POKL-RLHF)."""
