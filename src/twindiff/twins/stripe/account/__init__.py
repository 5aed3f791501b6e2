"""The account: settings, balance, payouts, bank accounts and keys."""
