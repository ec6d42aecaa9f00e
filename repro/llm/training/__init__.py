"""Language models trained, sampled and scored, from released labels; losses need torch alone."""
