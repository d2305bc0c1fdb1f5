"""The laboratory: what agent communication costs, and why."""
