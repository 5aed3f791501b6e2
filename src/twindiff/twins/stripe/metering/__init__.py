"""Usage meters and billing alerts."""
