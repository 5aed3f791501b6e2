"""Reviews, early fraud warnings and value lists."""
