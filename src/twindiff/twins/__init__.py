"""The twins that come with Twindiff."""
