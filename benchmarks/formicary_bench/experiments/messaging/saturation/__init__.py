"""`messaging/saturation`: the highest rate that is kept."""
