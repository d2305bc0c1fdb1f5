"""`directory/...`: registering, deregistering, searching."""
