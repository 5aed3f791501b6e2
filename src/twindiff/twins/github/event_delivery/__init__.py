"""Events for webhooks, which the server delivers, and for activity feeds."""
