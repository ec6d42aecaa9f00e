"""P1, section 4: offline learning with a KL-regularised objective (PPKL) and its lower bound."""
