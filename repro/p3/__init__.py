"""Mathematics of P3: alignment under central differential privacy."""
