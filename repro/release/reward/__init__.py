"""A reward learnt from one's own preference pairs and released with certified privacy."""
