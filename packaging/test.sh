#!/bin/sh
# All tests: those that open windows or draw, and some more so that both take as long, beside all others.
# Arguments go to pytest: `-m slow` runs the long tests instead of the usual ones.
set -u
cd "$(dirname "$0")/.."
python=.venv/bin/python
beside="tests/app tests/view3d tests/analysis tests/report"
told=$(mktemp)
trap 'rm -f "$told"; kill "$windows" 2>/dev/null' EXIT INT TERM
$python -m pytest -q -o cache_dir=.pytest_cache/windows $beside "$@" >"$told" 2>&1 &
windows=$!
# shellcheck disable=SC2046
$python -m pytest -q $(printf -- '--ignore=%s ' $beside) "$@"
rest=$?
wait "$windows"
seen=$?
echo
echo "$beside, run beside these:"
cat "$told"
[ "$rest" -eq 0 ] && [ "$seen" -eq 0 ]
