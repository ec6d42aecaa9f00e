"""Privacy of objective perturbation (P3, Algorithm 1): exact losses, bounds, searches."""
