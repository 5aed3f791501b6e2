"""Programs that run inside the TLS door: variables, a private network, and a receipt of what they called."""
