"""Exact accounting: CPU time by group where nobody may look into the process from outside."""

from formicary.profiling.accounting.accounting import accounting

__all__ = ["accounting"]
