"""Links: sessions that number and acknowledge what goes between two containers, whatever carries it."""
