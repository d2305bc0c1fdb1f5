"""Our agents with one thing changed: what that costs or saves is the difference."""
