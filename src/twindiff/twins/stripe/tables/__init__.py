"""Tables that several packages of the Stripe twin use: customers, payment methods, tokens, charges, PaymentIntents."""
