"""The baselines: the same exchange without agents."""
