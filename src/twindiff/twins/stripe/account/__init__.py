"""The account itself: its settings, balance, payouts, bank accounts and keys."""
