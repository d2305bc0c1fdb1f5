"""SSH to the hosts of a run."""
