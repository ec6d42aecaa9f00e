"""P1, section 5: Algorithm 2 (POKL-RLHF), online exploration with a KL-regularised objective."""
