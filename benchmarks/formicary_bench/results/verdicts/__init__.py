"""How far figures can be believed, and which are faster."""
