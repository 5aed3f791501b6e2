import os

import slack_sdk
import stripe

stripe.api_key = os.environ["STRIPE_API_KEY"]
slack = slack_sdk.WebClient(os.environ["SLACK_BOT_TOKEN"])
print(slack.auth_test()["user"], stripe.Customer.list(limit=1).data[0].id)
