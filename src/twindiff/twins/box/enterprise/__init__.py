"""Users, groups and settings of the enterprise."""
