"""Reads what the twins of a run show, over the vendors' own APIs."""

from collections import Counter


class WorldReader:
    """The records of a run's world, as an application would find them."""

    def __init__(self, client, run):
        self._client = client
        self._variables = {name: twin["env_vars"] for name, twin in run["twins"].items()}
        self.understood, self.not_understood = run.get("understood", []), run.get("not_understood", [])
        self.warnings = run.get("warnings", [])

    def _get(self, address, token, **params):
        headers = {"Authorization": f"Bearer {token}"}
        return self._client.get(address, headers=headers, params=params).raise_for_status().json()

    # Slack

    def _slack(self, method, **params):
        slack = self._variables["slack"]
        return self._get(f"{slack['SLACK_API_URL']}/{method}", slack["SLACK_BOT_TOKEN"], limit=999, **params)

    def channels(self):
        return {each["name"]: each["id"] for each in self._slack("conversations.list")["channels"]}

    def private_channels(self):
        listed = self._slack("conversations.list", types="private_channel")["channels"]
        return [each["name"] for each in listed if each["is_private"]]

    def messages(self, name):
        history = self._slack("conversations.history", channel=self.channels()[name])
        return [each["text"] for each in history["messages"]]

    def members(self, channel):
        """The names of the people in a channel, except the agent's."""
        ids = self._slack("conversations.members", channel=self.channels()[channel])["members"]
        names = {each["id"]: each["real_name"] for each in self._slack("users.list")["members"]}
        return {names[each] for each in ids} - {"Agent"}

    def authors(self, channel):
        """The names of those who wrote in a channel."""
        history = self._slack("conversations.history", channel=self.channels()[channel])["messages"]
        names = {each["id"]: each["real_name"] for each in self._slack("users.list")["members"]}
        return {names[each["user"]] for each in history}

    def texts(self):
        return [text for name in self.channels() for text in self.messages(name)]

    def people(self):
        return [each["real_name"] for each in self._slack("users.list")["members"] if each["real_name"] != "Agent"]

    # Linear

    def _linear(self, document):
        linear = self._variables["linear"]
        headers = {"Authorization": linear["LINEAR_API_KEY"]}
        answer = self._client.post(linear["LINEAR_GRAPHQL_URL"], headers=headers, json={"query": document})
        return answer.raise_for_status().json()["data"]

    def teams(self):
        return [each["name"] for each in self._linear("{teams(first:100){nodes{name}}}")["teams"]["nodes"]]

    def team_members(self, team):
        """The names of a team's members, except the agent's."""
        listed = self._linear("{teams(first:100){nodes{name members(first:50){nodes{name}}}}}")["teams"]["nodes"]
        return {one["name"] for each in listed if each["name"] == team for one in each["members"]["nodes"]} - {"Agent"}

    def projects(self):
        listed = self._linear("{projects(first:50){nodes{name teams(first:5){nodes{name}}}}}")["projects"]["nodes"]
        return {each["name"]: [team["name"] for team in each["teams"]["nodes"]] for each in listed}

    def issues(self):
        fields = "title priority team{name} project{name} state{name type} assignee{name}"
        return self._linear(f"{{issues(first:250){{nodes{{{fields}}}}}}}")["issues"]["nodes"]

    def states(self, team):
        """How many issues of a team are in each state, by its name."""
        return Counter(each["state"]["name"] for each in self.issues() if each["team"]["name"] == team)

    def assigned(self, name):
        """How many issues are assigned to a person."""
        return sum((each["assignee"] or {}).get("name") == name for each in self.issues())

    # Stripe

    def stripe(self, path, **which):
        stripe = self._variables["stripe"]
        address = f"{stripe['STRIPE_API_URL']}/v1/{path}"
        return self._get(address, stripe["STRIPE_SECRET_KEY"], limit=100, **which)["data"]

    def names(self):
        return {each["id"]: each["name"] for each in self.stripe("customers")}

    def subscribers(self, status, product=None):
        """The email addresses of the customers with a subscription of a status, each as often as it has one."""
        emails = {each["id"]: each["email"] for each in self.stripe("customers")}
        names = {each["id"]: each["name"] for each in self.stripe("products")}
        return [
            emails[each["customer"]]
            for each in self.stripe("subscriptions", status=status)
            if product in (None, names[each["items"]["data"][0]["price"]["product"]])
        ]

    def prices(self):
        """The prices of each product by name: amount, currency, interval."""
        names = {each["id"]: each["name"] for each in self.stripe("products")}
        found = {}
        for each in self.stripe("prices"):
            price = (each["unit_amount"], each["currency"], (each["recurring"] or {}).get("interval"))
            found.setdefault(names[each["product"]], []).append(price)
        return found

    # Box

    def files(self, folder="0"):
        """The names of files by folder, of those below the root."""
        box = self._variables["box"]
        items = self._get(f"{box['BOX_API_URL']}/2.0/folders/{folder}/items", box["BOX_ACCESS_TOKEN"], limit=1000)
        entries = items["entries"]
        if folder != "0":
            return [each["name"] for each in entries if each["type"] == "file"]
        folders = {each["name"]: self.files(each["id"]) for each in entries if each["type"] == "folder"}
        return folders | {"": [each["name"] for each in entries if each["type"] == "file"]}

    def collaborators(self, name):
        """The logins of those with whom a folder below the root is shared."""
        box = self._variables["box"]
        address, token = f"{box['BOX_API_URL']}/2.0/folders", box["BOX_ACCESS_TOKEN"]
        entries = self._get(f"{address}/0/items", token, limit=1000)["entries"]
        folder = next(each["id"] for each in entries if each["name"] == name)
        shared = self._get(f"{address}/{folder}/collaborations", token)["entries"]
        return {each["accessible_by"]["login"] for each in shared}

    # Google Calendar

    def guests(self, summary):
        """The email addresses of a meeting's guests, except the agent's."""
        listed = [each for each in self._events() if each["summary"] == summary]
        return {one["email"] for each in listed for one in each.get("attendees", [])} - {"agent@example.com"}

    def events(self):
        return [
            (each["summary"], each["start"]["dateTime"][:16], each["end"]["dateTime"][:16]) for each in self._events()
        ]

    def _events(self):
        calendar = self._variables["calendar"]
        address = f"{calendar['GOOGLE_CALENDAR_API_URL']}/calendars/primary/events"
        return self._get(address, calendar["GOOGLE_CALENDAR_TOKEN"], maxResults=2500)["items"]
