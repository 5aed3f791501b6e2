"""What every part of Stripe uses: events, lists, parameters, files, test clocks and webhooks."""
