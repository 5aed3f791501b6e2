import json
import os
import urllib.request

import requests

URL = "https://slack.com/api/auth.test"
HEADERS = {"Authorization": f"Bearer {os.environ['SLACK_BOT_TOKEN']}"}

with urllib.request.urlopen(urllib.request.Request(URL, headers=HEADERS)) as opened:
    print(requests.get(URL, headers=HEADERS, timeout=30).json()["user"], json.load(opened)["user"])
