"""Pages that Stripe hosts: invoices, receipts, the billing portal and authentication."""
