"""How a run measures: its resources, one repetition after the other, and what the user sees."""
