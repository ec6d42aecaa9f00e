"""Language models: training, and the experiments that train."""
