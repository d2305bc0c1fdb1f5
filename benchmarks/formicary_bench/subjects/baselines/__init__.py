"""The floors: the same exchange without agents."""
