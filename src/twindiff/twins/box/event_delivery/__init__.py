"""Events, webhooks and recent items."""
