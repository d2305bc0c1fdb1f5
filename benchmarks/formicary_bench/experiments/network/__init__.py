"""`network`: bytes and packets on the wire."""
