"""What corruption costs that more labels do not remove: floors of estimates and policies (P4)."""
