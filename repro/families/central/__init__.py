"""P3: a trusted curator, who perturbs the objective and the covariance."""
