# The files and variables that each of these servers reads besides the vendors' own.
cat >"$HOME/keys.json" <<JSON
{"installed": {"client_id": "$GOOGLE_CLIENT_ID", "client_secret": "$GOOGLE_CLIENT_SECRET", "redirect_uris": ["http://localhost"]}}
JSON
cat >"$HOME/tokens.json" <<JSON
{"normal": {"access_token": "$GOOGLE_CALENDAR_TOKEN", "refresh_token": "$GOOGLE_REFRESH_TOKEN",
 "scope": "https://www.googleapis.com/auth/calendar", "token_type": "Bearer", "expiry_date": 4102444800000}}
JSON
export GOOGLE_OAUTH_CREDENTIALS="$HOME/keys.json" GOOGLE_CALENDAR_MCP_TOKEN_PATH="$HOME/tokens.json"
export SLACK_TEAM_ID=T01WORKSPACE SLACK_MCP_XOXB_TOKEN="$SLACK_BOT_TOKEN" BOX_AUTH_MODE=ccg BOX_ENTERPRISE_ID=1
python=$1 calls=$2
shift 2
exec "$python" "$(dirname "$0")/mcp_client.py" "$calls" "$@"
