"""The same without agents: tasks in one process, and two processes with a TCP connection between them."""
