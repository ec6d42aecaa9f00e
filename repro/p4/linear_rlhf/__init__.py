"""P4's Algorithm 2 and DPO with linear rewards: pessimism, its reduction, two responses."""
