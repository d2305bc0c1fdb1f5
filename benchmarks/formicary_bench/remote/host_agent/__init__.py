"""The controller's agent on each host of a run, and the conversation with it."""
