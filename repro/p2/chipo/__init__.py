"""χPO (P2): the policy of mixed χ² and KL, its losses, its meta theorem, and worlds for both."""
