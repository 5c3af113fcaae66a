#!/bin/sh
# All tests: those that open windows or draw beside all others, since neither half keeps two cores busy.
# Arguments go to pytest: `-m slow` runs the long tests instead of the usual ones.
set -u
cd "$(dirname "$0")/.."
python=.venv/bin/python
told=$(mktemp)
trap 'rm -f "$told"; kill "$windows" 2>/dev/null' EXIT INT TERM
$python -m pytest -q -o cache_dir=.pytest_cache/windows tests/app tests/view3d "$@" >"$told" 2>&1 &
windows=$!
$python -m pytest -q --ignore=tests/app --ignore=tests/view3d "$@"
rest=$?
wait "$windows"
seen=$?
echo
echo "tests/app and tests/view3d, run beside these:"
cat "$told"
[ "$rest" -eq 0 ] && [ "$seen" -eq 0 ]
