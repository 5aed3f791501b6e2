"""What every part of Slack uses."""
