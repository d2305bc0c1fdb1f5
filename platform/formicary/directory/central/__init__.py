"""The directory as an agent (FIPA00023's DF), and each container's client of it."""
