"""Tables, errors and access checks that all parts of the Slack twin share."""
