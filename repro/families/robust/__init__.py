"""P4: private and corrupted labels, estimation, RLHF and DPO."""
