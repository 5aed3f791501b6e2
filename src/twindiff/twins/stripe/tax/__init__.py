"""Tax rates, registrations, calculations and transactions."""
