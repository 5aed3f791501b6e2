"""Cards that a business issues: cardholders, cards, authorizations, transactions and disputes."""
