"""Objective perturbation, output perturbation and noisy descent side by side."""
