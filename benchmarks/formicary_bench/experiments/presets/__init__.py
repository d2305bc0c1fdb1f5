"""Presets: all experiments in a few minutes, or as the papers set them."""
