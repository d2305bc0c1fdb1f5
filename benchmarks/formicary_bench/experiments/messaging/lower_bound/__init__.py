"""`messaging/lower-bound`: agents beside plain processes over TCP sockets."""
