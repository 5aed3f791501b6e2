"""Objects as Slack shows them."""
