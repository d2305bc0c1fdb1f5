"""What a run measures: from options, plans and presets to configurations in their order. Pure."""
