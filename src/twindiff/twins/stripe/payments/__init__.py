"""Payment intents, setup intents, methods, charges, refunds and disputes."""
