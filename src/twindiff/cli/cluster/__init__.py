"""One server on a Ray cluster: an actor for each shard, and an ingress on each node by which clients reach them."""
