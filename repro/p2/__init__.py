"""Mathematics of P2: improved bounds for private and robust alignment."""
