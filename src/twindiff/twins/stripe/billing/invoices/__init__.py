"""Invoices from draft to paid, their items, taxes and credit notes."""
