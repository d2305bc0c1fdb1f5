"""`messaging/open-loop`: messages at a given rate."""
