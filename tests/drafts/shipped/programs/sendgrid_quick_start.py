import os

from sendgrid import SendGridAPIClient
from sendgrid.helpers.mail import Mail

message = Mail(from_email="from@example.com", to_emails="to@example.com", subject="Sending", html_content="<b>easy</b>")
api = SendGridAPIClient(os.environ["SENDGRID_API_KEY"])
answer = api.send(message)
print(answer.status_code, len(answer.headers["X-Message-Id"]))
made = api.client.marketing.lists.post(request_body={"name": "bakers"})
print(made.status_code, api.client.marketing.lists.get().to_dict["result"][0]["name"])
