"""One row of figures per configuration, computed from the raw values."""
