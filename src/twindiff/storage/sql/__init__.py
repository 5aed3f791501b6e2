"""SQL that every database understands; what they say differently is in the dialect of each engine."""
