"""`memory` and `memory/growth`: what processes hold."""
