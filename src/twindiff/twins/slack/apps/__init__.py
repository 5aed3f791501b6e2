"""Apps, bots, OAuth, views and sockets."""
