"""Apps, bots, OAuth, views and Socket Mode."""
