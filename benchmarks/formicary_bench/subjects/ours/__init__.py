"""Our agents and our directory, as measured."""
