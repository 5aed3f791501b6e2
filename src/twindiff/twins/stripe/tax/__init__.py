"""Tax rates, settings, registrations, calculations and transactions, and automatic tax."""
