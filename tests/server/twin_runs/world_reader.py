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

    def archived_channels(self):
        return [each["name"] for each in self._slack("conversations.list")["channels"] if each["is_archived"]]

    def talk(self, channel):
        """The messages of a channel by text: author, replies as pairs of author and text, and reactions as triples."""
        at = self.channels()[channel]
        names = {each["id"]: each["real_name"] for each in self._slack("users.list")["members"]}
        found = {}
        for each in self._slack("conversations.history", channel=at)["messages"]:
            thread = self._slack("conversations.replies", channel=at, ts=each["ts"])["messages"][1:]
            replies = [(names[one["user"]], one["text"]) for one in thread]
            given = each.get("reactions", [])
            reactions = sorted((names[user], one["name"]) for one in given for user in one["users"])
            found[each["text"]] = (names[each["user"]], replies, reactions)
        return found

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

    def issue(self, title):
        """The only issue of a title: assignee, labels, day on which it is due, comments as authors and texts."""
        fields = "title dueDate assignee{name} labels(first:9){nodes{name}} comments(first:9){nodes{body user{name}}}"
        listed = self._linear(f"{{issues(first:50){{nodes{{{fields}}}}}}}")["issues"]["nodes"]
        (found,) = [each for each in listed if each["title"] == title]
        labels = sorted(each["name"] for each in found["labels"]["nodes"])
        comments = [(each["user"]["name"], each["body"]) for each in found["comments"]["nodes"]]
        return (found["assignee"] or {}).get("name"), labels, found["dueDate"], comments

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

    def bought(self, path, *fields):
        """The invoices or charges of each customer by name: these fields of them."""
        names, found = self.names(), {}
        for each in self.stripe(path):
            found.setdefault(names[each["customer"]], []).append(tuple(each[name] for name in fields))
        return found

    def returned(self, path):
        """The amounts of the refunds or disputes of each customer by name."""
        buyers = {each["id"]: self.names()[each["customer"]] for each in self.stripe("charges")}
        found = {}
        for each in self.stripe(path):
            found.setdefault(buyers[each["charge"]], []).append(each["amount"])
        return found

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

    def tree(self, folder="0"):
        """What a folder holds by name: folders as trees, files as lists of comments, each an author and a text."""
        box = self._variables["box"]
        address, token = f"{box['BOX_API_URL']}/2.0", box["BOX_ACCESS_TOKEN"]
        found = {}
        for each in self._get(f"{address}/folders/{folder}/items", token, limit=1000)["entries"]:
            if each["type"] == "folder":
                found[each["name"]] = self.tree(each["id"])
            else:
                comments = self._get(f"{address}/files/{each['id']}/comments", token)["entries"]
                found[each["name"]] = [(one["created_by"]["name"], one["message"]) for one in comments]
        return found

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

    def places(self):
        """Where each meeting is, and how it is repeated, by its summary."""
        return {each["summary"]: (each.get("location"), each.get("recurrence")) for each in self._events()}

    # Notion

    def _notion(self, method, path, **given):
        notion = self._variables["notion"]
        headers = {"Authorization": f"Bearer {notion['NOTION_TOKEN']}", "Notion-Version": "2022-06-28"}
        answer = self._client.request(method, f"{notion['NOTION_API_URL']}/v1/{path}", headers=headers, **given)
        return answer.raise_for_status().json()["results"]

    def _found(self, kind, title):
        """The identifier of the only page or database of a title."""
        asked = {"filter": {"property": "object", "value": kind}, "page_size": 100}
        (found,) = [each["id"] for each in self._notion("POST", "search", json=asked) if _title(each) == title]
        return found

    def subpages(self, title):
        """The titles of the pages in a page, and of the databases."""
        blocks = self._notion("GET", f"blocks/{self._found('page', title)}/children")
        kinds = ("child_page", "child_database")
        return [each[kind]["title"] for kind in kinds for each in blocks if each["type"] == kind]

    def page_text(self, title):
        blocks = self._notion("GET", f"blocks/{self._found('page', title)}/children")
        return [_plain(each[each["type"]]["rich_text"]) for each in blocks if "rich_text" in each[each["type"]]]

    def page_comments(self, title):
        """The comments on a page: who wrote each, and what."""
        users = {each["id"]: each["name"] for each in self._notion("GET", "users")}
        listed = self._notion("GET", "comments", params={"block_id": self._found("page", title)})
        return [(users[each["created_by"]["id"]], _plain(each["rich_text"])) for each in listed]

    def rows(self, database):
        """The rows of a database: the status of each by its title, None without one."""
        listed = self._notion("POST", f"databases/{self._found('database', database)}/query", json={})
        held = {_title(each): each["properties"].get("Status", {}).get("select") for each in listed}
        return {title: status and status["name"] for title, status in held.items()}

    # GitHub

    def github(self, path, **which):
        github = self._variables["github"]
        return self._get(f"{github['GITHUB_API_URL']}/repos/{path}", github["GITHUB_TOKEN"], per_page=100, **which)

    def tracked(self, repository):
        """The issues that are no pull requests, by title: state, labels, assignees, author, comments."""
        listed = self.github(f"{repository}/issues", state="all")
        return {
            each["title"]: (
                each["state"],
                sorted(one["name"] for one in each["labels"]),
                [one["login"] for one in each["assignees"]],
                each["user"]["login"],
                self._said(repository, each["number"]),
            )
            for each in listed
            if "pull_request" not in each
        }

    def pulls(self, repository):
        """The pull requests by title: state, whether it was merged, whether it is a draft, author, comments."""
        return {
            each["title"]: (
                each["state"],
                each["merged_at"] is not None,
                each["draft"],
                each["user"]["login"],
                self._said(repository, each["number"]),
            )
            for each in self.github(f"{repository}/pulls", state="all")
        }

    def _said(self, repository, number):
        comments = self.github(f"{repository}/issues/{number}/comments")
        return [(each["user"]["login"], each["body"]) for each in comments]


def _plain(text):
    return "".join(each["plain_text"] for each in text)


def _title(record):
    """The title of a page or database of Notion."""
    if record["object"] == "database":
        return _plain(record["title"])
    return next(_plain(each["title"]) for each in record["properties"].values() if each["type"] == "title")
