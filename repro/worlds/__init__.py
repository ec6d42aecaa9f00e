"""What is measured in: instances, policies and estimators."""
