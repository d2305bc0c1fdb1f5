"""What a profile holds, and to which group of work its frames belong."""
