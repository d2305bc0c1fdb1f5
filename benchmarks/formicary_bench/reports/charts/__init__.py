"""Charts of rows, and their drawing."""
