# Box's command line: signs in by a settings file, makes a folder, uploads, finds, downloads, and is refused a second time.
set -eu
box=$1 settings=$2
cd "$HOME"
echo "harbour one" > plan.txt
"$box" configure:environments:add "$settings"
folder=$("$box" folders:create 0 "Plans of the harbour" --id-only)
file=$("$box" files:upload plan.txt --parent-id "$folder" --id-only)
"$box" folders:items "$folder" --json
mkdir -p down
"$box" files:download "$file" --destination down
cat down/plan.txt
! "$box" folders:create 0 "Plans of the harbour"
