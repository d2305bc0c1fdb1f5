"""What every design of the directory shares: descriptions, queries, the index, and watched queries."""
