"""Our agents with one thing changed, to measure what that costs or saves."""
