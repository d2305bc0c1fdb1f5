"""Experiments with messages: who sends to whom, how many, where."""
