# gcalcli keeps the tokens of its user in a file, which is written here as after its login.
set -e
mkdir -p "$XDG_DATA_HOME/gcalcli"
"$1/python" - <<'PYTHON'
import os, pathlib, pickle
from google.oauth2.credentials import Credentials

names = ("GOOGLE_REFRESH_TOKEN", "GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET")
refresh, client, secret = (os.environ[name] for name in names)
scopes = ["https://www.googleapis.com/auth/calendar"]
uri = "https://oauth2.googleapis.com/token"
kept = Credentials(None, refresh_token=refresh, client_id=client, client_secret=secret, token_uri=uri, scopes=scopes)
pathlib.Path(os.environ["XDG_DATA_HOME"], "gcalcli", "oauth").write_bytes(pickle.dumps(kept))
PYTHON
"$1/gcalcli" --nocolor --calendar ada.brandt@tideline.example add --title "by gcalcli" --when "2018-06-21 10:00" \
    --duration 30 --where here --description none --noprompt
"$1/gcalcli" --nocolor agenda 2018-06-21 2018-06-22
