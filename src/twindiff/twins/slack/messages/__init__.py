"""Messages, threads, reactions and pins."""
