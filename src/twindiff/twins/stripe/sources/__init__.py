"""Payment sources of before payment methods: cards, bank accounts and sources of customers, and charges of them."""
