"""P3, Algorithms 1 to 3: a trusted curator's reward and covariance, and choices from both."""
