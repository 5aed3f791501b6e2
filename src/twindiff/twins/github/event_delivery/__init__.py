"""What tells webhooks and activity feeds about events."""
