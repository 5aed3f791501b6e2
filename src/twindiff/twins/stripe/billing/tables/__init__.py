"""The tables of invoices, credit notes, subscriptions and schedules."""
