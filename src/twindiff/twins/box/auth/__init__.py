"""OAuth, scopes and authorization."""
