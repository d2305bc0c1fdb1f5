"""Our agents and our directory, as they are measured."""
