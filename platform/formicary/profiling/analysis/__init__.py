"""From a profile to figures, tables and flame graphs."""
