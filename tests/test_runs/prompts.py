"""Prompts of five styles and the plans that they must become; None where they must not be understood.

A step is written as its action, its selector, `= value` and, in brackets, what it expects.
"""

from twindiff.browser.clauses import LONG_MS
from twindiff.browser.config import BrowserStep
from twindiff.browser.planner import plan
from twindiff.browser.record_rules import ANY_BOX

LOGIN = ["fill", "fill", "click"]


def describe(step: BrowserStep) -> str:
    """A step in one line."""
    value = "" if step.value is None else f" = {step.value}"
    expect = f" [{step.expect}]" if step.expect else ""
    timed = f" within {step.timeout_ms} ms" if step.timeout_ms not in (None, LONG_MS) else ""
    return f"{step.action}{f' {step.selector}' if step.selector else ''}{value}{expect}{timed}"


def describe_plan(prompt: str) -> list[str]:
    """The steps of a prompt, and what it expects of twins."""
    planned = plan(prompt)
    twins = [
        f"{each.twin}.{each.entity} {each.where | each.named} {each.min}..{each.max}" for each in planned.twin_checks
    ]
    return [describe(step) for step in planned.steps] + twins


TERSE = {
    'click "Pay", expect "Paid"': ["click named=Pay", "expect [text contains 'Paid']"],
    "go to /team -> click Invite -> expect Invited": [
        "goto = /team",
        "click named=Invite",
        "expect [text contains 'Invited']",
    ],
    "fill Email with ada@example.com, press Enter": ["fill named=Email = ada@example.com", "press = Enter"],
    'tick "Newsletter", untick "Spam"': ["check checkbox=Newsletter", "uncheck checkbox=Spam"],
    'no "Error"': ["expect [not text contains 'Error']"],
    "no errors": None,
    'expect no "Error"': ["expect [not text contains 'Error']"],
    "expect 3 rows": ["expect datarow= [3 times the element]"],
    "There are more than 2 dishes": ["expect things=dishes [at least 3 times the element]"],
    "Expect fewer than 3 rows": ["expect datarow= [0 to 2 times the element]"],
    "Expect less than two dishes": ["expect things=dishes [0 to 1 times the element]"],
    "Expect no more than 2 dishes": ["expect things=dishes [0 to 2 times the element]"],
    "Expect fewer than 0 rows": None,
    "Expect more than 2 messages in Slack": ["slack.messages {} 3..None"],
    'expect 2 buttons "Delete"': ["expect button=Delete [2 times the element]"],
    "log out": ["click log-out="],
    "reload, go back": ["reload", "back"],
    'select "Large" from Size': ["select named=Size = Large"],
    "wait 2 s": ["wait = 2000"],
}
MANAGER = {
    "Open Billing and choose the Team plan": ["click place=Billing", "choose choice=Team"],
    'Select the "Team" plan': ["choose choice=Team"],
    "Make sure the Pay button is disabled": ["expect button=Pay [disabled]"],
    'Make sure that "Something went wrong" is not shown': ["expect [not text contains 'Something went wrong']"],
    'The user should see "Welcome back"': ["expect [text contains 'Welcome back']"],
    'The "Delete" button should no longer be visible': ["expect button=Delete [not visible]"],
    "Check out the new landing page": None,
    "The dashboard feels fast": None,
    "Everything works as before": None,
    'The row of "Ada" shows "Owner"': ["expect row=Ada [text contains 'Owner']"],
    'The row of "Bob" does not show "Owner"': ["expect row=Bob [not text contains 'Owner']"],
    'Exactly one new message is posted to #general in Slack that contains "Ada joined"': [
        "slack.messages {'message_text': {'i_contains': 'Ada joined'}, 'channel_id': 'general'} 1..1"
    ],
    "There are exactly 3 payments of $49 in Stripe": [
        "stripe.charges {'paid': True, 'captured': True, 'amount': {'eq': 4900}, 'currency': {'eq': 'usd'}} 3..3"
    ],
    'There is a new issue in Linear titled "Login is broken"': [
        "linear.issues {'title': {'eq': 'Login is broken'}} 1..None"
    ],
    "No refund is made in Stripe": ["stripe.refunds {} 0..0"],
    "Two active subscriptions are created in Stripe": None,
    'A file named "a.pdf" is there in Box': None,
}
GHERKIN = {
    'Given I am on /login\nWhen I fill in "Email" with "a@b.c"\nAnd I click "Log in"\nThen I should see "Welcome"': [
        "goto = /login",
        "fill named=Email = a@b.c",
        "click named=Log in",
        "expect [text contains 'Welcome']",
    ],
    'Scenario: a customer pays twice\nGiven I am on /shop\nWhen I press "Pay"\nThen I should be on /done': [
        "goto = /shop",
        "click named=Pay",
        "expect [url is '/done']",
    ],
    'Given I am on /shop\nThen I should not see "Error"': ["goto = /shop", "expect [not text contains 'Error']"],
    'When I check "I agree"\nThen the checkbox "I agree" should be checked': [
        "check checkbox=I agree",
        "expect checkbox=I agree [checked]",
    ],
    'Then the "Email" field should contain "ada"': ["expect field=Email [value contains 'ada']"],
    'Then the "Email" field should not contain "ada"': ["expect field=Email [not value contains 'ada']"],
    'And the heading "Team" is displayed': ["expect heading=Team [visible]"],
    'The second heading says "Dishes"': ["expect nth=2 heading [text contains 'Dishes']"],
    "Then I should not be on /done": ["expect [not url is '/done']"],
    'Given Ada is on the second page\nWhen I click "Next"': None,
    "Given a user with an expired card": None,
    'Then I see "Paid" in the row of "Ada"': ["expect row=Ada [text contains 'Paid']"],
}
CHATTY = {
    'Hi, could you please click "Pay", and then make sure that the page doesn\'t show "Error"?': [
        "click named=Pay",
        "expect [not text contains 'Error']",
    ],
    'Now let\'s go to /team and tick the "Newsletter" checkbox, please.': ["goto = /team", "check checkbox=Newsletter"],
    "Enter a as the email and b as the password": ["fill named=email = a", "fill named=password = b"],
    'You shouldn\'t see "Error" any more': ["expect [not text contains 'Error']"],
    "I'd like you to click the \"Edit\" button in Ada's row": ["click row=Ada >> button=Edit"],
    'Just wait until "Loading" disappears, then click "Pay"': [
        "expect [not text contains 'Loading']",
        "click named=Pay",
    ],
    'Maybe click "Pay" a few times and see what happens': None,
    'If "Cookies" is shown, click "Accept"': None,
    "Log in with a wrong password": None,
    "Expect total $49": None,
    'You can\'t see "Error"': ["expect [not text contains 'Error']"],
    'I expect to not see "Error"': ["expect [not text contains 'Error']"],
    'Make sure that "A" is shown and that "B" is not shown': [
        "expect [text contains 'A']",
        "expect [not text contains 'B']",
    ],
    'First, open the "Billing" page': ["click place=Billing"],
    'Expect "Paid" but not "Unpaid"': ["expect [text contains 'Paid']", "expect [not text contains 'Unpaid']"],
    'Expect "Password" above "Email"': None,
}
SCRIPT = {
    '1. Open /team\n2. Click "Invite"\n3. Verify that "Invited" appears': [
        "goto = /team",
        "click named=Invite",
        "expect [text contains 'Invited']",
    ],
    "Step 1: Clear the Email field\nStep 2: Verify the Email field is empty": [
        "fill named=Email = ",
        "expect field=Email [value is '']",
    ],
    'Expected result: "Paid" is shown': ["expect [text contains 'Paid']"],
    "Verify the URL is /done": ["expect [url is '/done']"],
    'Verify the URL does not contain "error"': ["expect [not url contains 'error']"],
    'Verify the page title is "Team"': ["expect [title is 'Team']"],
    'Verify that "Ada" appears twice': ["expect [2 times 'Ada']"],
    "Verify that the table has 2 rows": ["expect datarow= [2 times the element]"],
    "Verify that the table is empty": ["expect datarow= [0 times the element]"],
    'In the row of "Ada" click "Edit"': ["click row=Ada >> named=Edit"],
    'Double-click "Save"': None,
    'Check "A", "B" is shown': None,
    'Check "A" and that "B" is shown': None,
    'Goal: nobody is charged twice\nClick "Pay"': None,
    'I want to be charged only once. Click "Pay"': None,
    'Feature: pay\nAs a customer\nI want to pay\nScenario: card\nWhen I click "Pay"': ["click named=Pay"],
    'Expect 0 buttons "Delete"': ["expect button=Delete [not visible]"],
    'Click "Save" twice': ["click named=Save", "click named=Save"],
    'Fill "Email" with "a" twice': None,
    'Upload "a.pdf"': ["upload = a.pdf"],
    'Attach the file "a.pdf" to "Attachment"': ["upload named=Attachment = a.pdf"],
    'Upload "a.pdf" twice': None,
    'Do not upload "a.pdf"': None,
    'The file "a.csv" is downloaded': ["expect [download is 'a.csv']"],
    'Verify that "a.csv" was not downloaded': None,
    'Verify that "Total" is bold': None,
    'Verify that "Paid" is shown within 2 seconds': ["expect [text contains 'Paid'] within 2000 ms"],
    'Immediately, "Paid" is shown': ["expect [text contains 'Paid'] within 1000 ms"],
    'Click "Pay" within 2 seconds': None,
    '"A" is shown and "B" is shown within 2 seconds': None,
    'Expect one row with "Ada"': ["expect datarow=Ada [1 times the element]"],
    'Check that the box "I agree" is checked': ["expect choice=I agree [checked]"],
    'Check "A" and "B"': ["check checkbox=A", "check checkbox=B"],
    'Wait until the button "Pay" is enabled': ["expect button=Pay [not disabled]"],
    'The button "Pay" is visible but disabled': ["expect button=Pay [disabled]"],
    'The button "Pay" is not visible and enabled': None,
    'Verify that "A" has disappeared': ["expect [not text contains 'A']"],
    "Scroll to the bottom of the page": ["scroll = bottom"],
}
CREATED = ["click new=customer", "fill the=name = Ada Byron", "fill the=email = ada@b.test"]
INTENTS = {
    "Add the lentil soup": ["click do=add >> lentil soup"],
    'The user adds "Tofu" to the basket three times': ["click do=add >> Tofu >> basket"] * 3,
    "Put one Tofu and two Soups into my basket": None,
    "Add one Tofu and two Soups": ["click do=add >> Tofu", *["click do=add >> Soups"] * 2],
    "Given I have added Tofu to the basket": ["click do=add >> Tofu >> basket"],
    "Given my basket contains two Tofus": ["click do=add >> Tofus >> basket"] * 2,
    "Then I have added Tofu to the basket": None,
    'Expect "A". I have added Tofu': None,
    "Add Tofu -> Basket": ["click do=add >> Tofu", "click named=Basket"],
    "Add 3 Tofu and do not save": ["click do=add >> Tofu"] * 3,
    "Do not save": None,
    "Do not add Tofu": None,
    "Add Tofu in Slack": None,
    "Add two Tofu twice": None,
    "Press Tab three times": ["press = Tab"] * 3,
    'Click "A" twenty times': None,
    'Click "A" 21 times': None,
    'Click "Remove" twice and dismiss the dialog': None,
    'Place the order with the note "no onions"': ["fill the=note = no onions", "click do=place >> order"],
    "Create a customer named Ada Byron with the email ada@b.test": [*CREATED, "click submit="],
    "The user creates the customer Ada Byron (ada@b.test)": [*CREATED, "click submit="],
    'Create a new customer called "Ada Byron" with ada@b.test on the Team plan and mark her as VIP': [
        *CREATED,
        "choose choice=Team",
        "check checkbox=VIP",
        "click submit=",
    ],
    'Given a customer "Ada Byron" with the email ada@b.test exists': [*CREATED, "click submit="],
    'Then a customer "Ada Byron" with the email ada@b.test exists': None,
    'Given a customer "Ada Byron" with the email ada@b.test does not exist': None,
    "Create a customer named Ada Byron with the email ada@b.test in Stripe": None,
    "Create two customers: Ada Byron (ada@b.test)": None,
    "Create three customers: Ada Byron (ada@b.test) and Bo Derek (bo@d.test)": None,
    "Create a customer named Ada Byron, ada@b.test. Open her page. Her row shows Team and VIP": [
        *CREATED,
        "click submit=",
        "click do=open >> Ada Byron",
        "expect row=Ada Byron [text contains 'Team']",
        "expect row=Ada Byron [text contains 'VIP']",
    ],
    "Her row shows Team": None,
    "She should be listed": None,
    "Add Tofu and Soup. The page shows both dishes": [
        "click do=add >> Tofu",
        "click do=add >> Soup",
        "expect [text contains 'Tofu']",
        "expect [text contains 'Soup']",
    ],
    "Add Tofu, Soup and Rice. The page shows both dishes": None,
    'Tick "Spam" and untick it': ["check checkbox=Spam", "uncheck checkbox=Spam"],
    "Untick it": None,
    'Expect "Paid" when you click "Pay"': ["click named=Pay", "expect [text contains 'Paid']"],
    'Clicking "Pay" shows "Paid"': ["click named=Pay", "expect [text contains 'Paid']"],
    'Expect "Paid" only when you click "Pay"': None,
    'Expect "Paid" before you click "Pay"': None,
    'After clicking "Pay", expect "Paid"': ["click named=Pay", "expect [text contains 'Paid']"],
    'Click "Pay" when "Paid" is shown': None,
    "The quantity of Tofu is 3": ["expect row=Tofu >> quantity [labelled is '3']"],
    "The quantity of Tofu is not 3": None,
    "Set the grace period to 21 days": ["fill the=grace period days = 21"],
    'The list does not mention "Ada"': ["expect list= [not text contains 'Ada']"],
    "Click on Invite a colleague": ["click named=Invite a colleague"],
    "In Stripe there should be exactly one customer with the email ada@b.test": [
        "stripe.customers {'email': {'eq': 'ada@b.test'}} 1..1"
    ],
    'Given a customer "Ada Byron" exists in Stripe': None,
    "Nothing is posted to Slack": ["slack.messages {} 0..0"],
}
RECORDS = {
    "For each row, click Send": ["click entry=each row >> named=Send"],
    "Click Send in every row": ["click entry=each row >> named=Send"],
    "Tick every box in the table": [f"check entry=each row >> {ANY_BOX}"],
    "Untick all checkboxes": ["uncheck all=checkbox"],
    "Close every ticket": ["click entry=each ticket >> verb=close"],
    "Close every open ticket": ["click entry=each ticket [open] >> verb=close"],
    "Mark every open invoice as paid": ["click entry=each invoice [open] >> verb=mark as paid"],
    "Close every bold ticket": None,
    "Tick every box in the table except the first": None,
    "For each row, do not click Send": None,
    "For each row, click Send twice": None,
    "Remove either order": None,
    "Every order has the state Sent": ["expect entry=each order >> state [labelled is 'Sent']"],
    "Every order has the state Sent or New": None,
    "Not every order has the state Sent": None,
    "Each order has an Edit button": ["expect entry=each order >> button=Edit [visible]"],
    "Each order has no Edit button": None,
    "For each row in the team table, the status is Active": [
        "expect entry=each row @ team >> status [labelled is 'Active']"
    ],
    "The limit is at least 30": ["expect limit [labelled is 30 or more]"],
    "The limit is less than 31": ["expect limit [labelled is 0 to 30]"],
    "The limit is not at least 30": None,
    "The limit is at least 30 in Stripe": None,
    "The amount of Bo is between 3 and 5": ["expect row=Bo >> amount [labelled is 3 to 5]"],
    "The state of Ada is New": ["expect row=Ada >> state [labelled is 'New']"],
    "The state of Ada is no longer New": None,
    'Fill "Due" with tomorrow': ["fill named=Due = {{tomorrow}}"],
    "Set the due date to in two weeks": ["fill named=due date = {{in_14_days}}"],
    'The row of "Ada" does not show today': ["expect row=Ada [not text contains '{{today}}']"],
    "The due date is before tomorrow": None,
    'Open the ticket "X"': ["click do=open >> X"],
    'Open the ticket "X" in a new tab': None,
    'Click the second "Rent"': ["click nth=2 control=Rent"],
    'Click the second "Rent" below "Roadster"': None,
    'In the card of "Tandem" click "Rent"': ["click row=Tandem >> named=Rent"],
    'Filter the orders by state "New"': ["fill the=state = New"],
    'Filter the orders by state "New" or "Sent"': None,
    'team: New member, name "Ada", save -> banner "Saved"': [
        "click place=team",
        "click new=member",
        "fill the=name = Ada",
        "click do=save >> ",
        "expect [text contains 'Saved']",
    ],
    'orders: New order, name "Ada", save -> "Saved"': [
        "click place=orders",
        "click new=order",
        "fill the=name = Ada",
        "click do=save >> ",
        "expect [text contains 'Saved']",
    ],
    "team: New member, save": ["click place=team", "click new=member", "click do=save >> "],
    "Go to /new. Card type: Adult": ["goto = /new", "fill the=Card type = Adult"],
    "Go to /new. Size: Large": ["goto = /new", "fill the=Size = Large"],
    'Delete Ada -> "Deleted"': ["click do=delete >> Ada", "expect [text contains 'Deleted']"],
    'Delete Ada -> "Save"': None,
    'Menu -> "Closed"': None,
    'loans -> Renew Dune x2 -> "Limit reached"': [
        "click place=loans",
        *["click do=renew >> Dune"] * 2,
        "expect [text contains 'Limit reached']",
    ],
    "loans -> never renew Dune": None,
    "loans -> Renew Dune x3 in Slack": None,
    "Settings > Members > unblock Ada": ["click named=Settings", "click named=Members", "click do=unblock >> Ada"],
    "Price > Limit": None,
    "Expect Price > Limit": None,
    "members: remove Ada Berg, accept": ["click place=members", "click do=remove >> Ada Berg"],
    "The Lend button of Dune is not disabled": ["expect row=Dune >> button=Lend [not disabled]"],
    "Click the Lend button of Dune": ["click row=Dune >> button=Lend"],
    "Click the Lend button of Dune and Emma": None,
    "Click the Edit button in the row of Ada and Bo": None,
    "Close #103 and click its Undo button": ["click do=close >> #103", "click row=#103 >> button=Undo"],
    'Expect no "Ada" in the table': ["expect list= [not text contains 'Ada']"],
    "Tell me whether the table has 2 rows": ["expect datarow= [2 times the element]"],
    "Dune comes up": ["expect [text contains 'Dune']"],
    "Dune does not come up": None,
    "Given the ticket is open": None,
    "Expect 4 open tasks": ["expect things=tasks [open] [4 times the element]"],
    "Lamp is Hidden": None,
    "Globex is gone": ["expect [not text contains 'Globex']"],
    "Globex is almost gone": None,
    "SO-2 is Sent in Slack": None,
}
STATES = {
    "There are 4 open tickets. Close them. No open tickets are left": [
        "expect things=tickets [open] [4 times the element]",
        "click entry=each tickets [open] >> verb=close",
        "expect things=tickets [open] [0 times the element]",
    ],
    "Given Ulysses is on loan, when I return it, then it is available again": [
        "expect row=Ulysses [state is 'on loan']",
        "click do=return >> Ulysses",
        "expect row=Ulysses [state is 'available']",
    ],
    "Bob Kane is blocked. His status is active": [
        "expect row=Bob Kane [state is 'blocked']",
        "expect row=Bob Kane >> status [state is 'active']",
    ],
    "Emma is no longer on loan": ["expect row=Emma [not state is 'on loan']"],
    "Emma is nearly overdue": None,
    "Emma is overdue in Slack": None,
    "Close them": None,
    "Yoga has 2 spots left": ["expect row=Yoga [state is '2 spots left']"],
    "Yoga has at least 2 spots left": None,
    "Only Emma and Dune are listed": [
        "expect things=entry [Emma] [1 times the element]",
        "expect things=entry [Dune] [1 times the element]",
        "expect things=entry [2 times the element]",
    ],
    "Only Emma and Dune are not listed": None,
    "Only Emma or Dune are listed": None,
    "Not all tickets are closed": None,
    "Mark every open invoice except INV-1 as paid": None,
    "Do not lend Emma to Ann Reed": None,
    "Emma is listed": ["expect [text contains 'Emma']"],
    "Catalogue shows Emma, Dune and Ulysses": [
        "expect heading=Catalogue [visible]",
        "expect list= [text contains 'Emma']",
        "expect list= [text contains 'Dune']",
        "expect list= [text contains 'Ulysses']",
    ],
    "Click Return on Ulysses": ["click do=return >> Ulysses"],
    "Mark INV-2 as paid": ["click do=mark as paid >> INV-2"],
    "Lend Emma to Ann Reed": ["click do=lend >> Emma", "fill offering=Ann Reed = Ann Reed", "click submit="],
    "Create a ticket for Globex with urgent priority": [
        "click new=ticket",
        "fill offering=Globex = Globex",
        "fill the=priority = urgent",
        "click submit=",
    ],
    'Add a task "X" due tomorrow assigned to Bob': [
        "click new=task",
        "fill the=name = X",
        "fill the=due = {{tomorrow}}",
        "fill the=assignee = Bob",
        "click submit=",
    ],
    "Create a ticket with high hopes": None,
    "Sign in as a@b.c twice": None,
    '#general: "Paid", once': ["slack.messages {'message_text': {'i_contains': 'Paid'}, 'channel_id': 'general'} 1..1"],
    'A message "Paid" is posted in #general': [
        "slack.messages {'message_text': {'i_contains': 'Paid'}, 'channel_id': 'general'} 1..None"
    ],
    'The team should get a Slack message in #general saying "Paid"': [
        "slack.messages {'message_text': {'i_contains': 'Paid'}, 'channel_id': 'general'} 1..None"
    ],
}
LOGINS = (
    "Log in as a@b.c with password x-1",
    "Sign in with a@b.c / x-1",
    "sign in a@b.c x-1",
    "Sign in (a@b.c, x-1)",
    "login a@b.c/x-1",
    "Do login with email a@b.c and password x-1",
    "User a@b.c with password x-1 makes login",
    "The librarian signs in with a@b.c and x-1",
    "a@b.c / x-1",
)
"""Ways to say with which credentials."""
USER_LOGINS = (
    "Log in as ada with the password x-1",
    "I log in with the username ada and the password x-1",
    "Log in as ada (x-1)",
    "Log in as ada, x-1",
    "log in ada/x-1",
    "Given ada is logged in with x-1",
    "Given the sales user is logged in (ada / x-1)",
    'I\'m logged in as "ada" with password "x-1"',
    "The sales clerk (ada, password x-1) opens Orders",
)
"""The same with the name of a user."""
STYLES = {
    "states": STATES,
    "records": RECORDS,
    "intents": INTENTS,
    "terse": TERSE,
    "manager": MANAGER,
    "gherkin": GHERKIN,
    "chatty": CHATTY,
    "script": SCRIPT,
}
