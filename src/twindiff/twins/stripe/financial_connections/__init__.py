"""Financial Connections: accounts at banks that their holders link."""
