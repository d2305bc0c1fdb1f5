"""`messaging/designs`: delivery by the designs of other platforms."""
