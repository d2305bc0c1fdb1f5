"""The run folder: the stored data of a run."""
