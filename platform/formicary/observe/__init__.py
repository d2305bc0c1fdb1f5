"""Seeing what goes on in a container: instruments and dead letters."""

CPU_GROUP = "platform"
