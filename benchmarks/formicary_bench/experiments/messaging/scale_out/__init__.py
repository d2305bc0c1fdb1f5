"""`messaging/scale-out`: more and more hosts."""
