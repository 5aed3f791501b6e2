"""Shards: processes with a data file each, behind one port. A connection moves to the shard that its request names."""
