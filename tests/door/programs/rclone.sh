set -e
export RCLONE_CONFIG="$HOME/rclone.conf"
printf '[box]\ntype = box\ntoken = {"access_token":"%s","token_type":"bearer","expiry":"2099-01-01T00:00:00Z"}\n' \
    "$BOX_ACCESS_TOKEN" >"$RCLONE_CONFIG"
mkdir -p "$HOME/files"
echo hello >"$HOME/files/hello.txt"
"$1" -q copy "$HOME/files" box:by-rclone
"$1" -q lsf box:by-rclone
"$1" -q purge box:by-rclone
