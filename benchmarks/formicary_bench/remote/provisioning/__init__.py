"""The very code that runs here, installed on hosts."""
