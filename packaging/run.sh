#!/bin/sh
# What `make run` does once .venv is there: the window, or without a display the same run with its picture in out/.
set -eu
cd "$(dirname "$0")/.."
scene=llama3-16k

if .venv/bin/python -m twin.cli.display; then
    exec .venv/bin/twin open "builtin:$scene"
fi

echo "No display here: running $scene headless instead." >&2
mkdir -p out
.venv/bin/twin run "builtin:$scene" --out "out/$scene.twinrun" --replace --json >"out/$scene.summary.json"
.venv/bin/twin show "out/$scene.twinrun"
.venv/bin/twin shot "out/$scene.twinrun" --at '20 day' -o "out/$scene.png"
cat <<END

Summary   out/$scene.summary.json
Picture   out/$scene.png
Run       out/$scene.twinrun   (on a machine with a display: make run)
END
