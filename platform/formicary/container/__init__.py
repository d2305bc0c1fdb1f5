"""Containers: where agents live, and how their messages are handed over."""

from formicary.container.container import Container

CPU_GROUP = "platform"

__all__ = ["Container"]
