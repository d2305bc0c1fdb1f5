"""The run folder: what is kept of a run."""
