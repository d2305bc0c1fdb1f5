"""`formicary hosts check`: facts of hosts, and what is judged by them."""
