"""Losses on privatised labels, minimised, compared, and chosen between (P2, section 6)."""
