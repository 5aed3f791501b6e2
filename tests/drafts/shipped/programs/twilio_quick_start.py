import os

from twilio.base.exceptions import TwilioRestException
from twilio.rest import Client

client = Client("AC00000000000000000000000000000001", os.environ["TWILIO_AUTH_TOKEN"])
for number in range(3):
    message = client.messages.create(body=f"Ahoy {number}", from_="+15017122661", to="+15558675310")
print(message.sid[:2], len(message.sid), message.status, message.direction, message.from_)
print([each.body for each in client.messages.list(page_size=2)])
print(client.messages(message.sid).update(status="canceled").status)
for ask in (lambda: client.messages(message.sid).update(status="canceled"), lambda: client.messages("SM1").fetch()):
    try:
        ask()
    except TwilioRestException as error:
        print(error.status, error.code)
call = client.calls.create(url="http://demo.twilio.com/docs/voice.xml", to="+14155551212", from_="+15017122661")
print(call.status, client.calls(call.sid).update(status="completed").status)
