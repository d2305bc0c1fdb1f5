"""Experiments with agents that move, after Dikaiakos 2001."""
