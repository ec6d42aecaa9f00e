"""The minimax floor of corruption and privacy: its modulus, hidden parameters, certificates."""
