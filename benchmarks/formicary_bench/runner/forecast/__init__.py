"""How long the rest of a run takes."""
