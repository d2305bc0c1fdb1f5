"""Requests to the agents `ams`: what can be asked, who does it, and how it is answered."""
