#!/bin/sh
# All tests: those that open windows or draw beside all others; both take about as long.
# Each lists its slowest twenty. Without arguments the others begin with style, types and layers (make lint).
# Arguments go to pytest: `-m slow` runs the long tests instead of the usual ones.
set -u
cd "$(dirname "$0")/.."
unset PYTHONDONTWRITEBYTECODE  # each program that a test starts would compile all of it again
python=.venv/bin/python
slowest="--durations=20 --durations-min=1"
beside="tests/app tests/view3d"
told=$(mktemp)
trap 'rm -f "$told"; kill "$windows" 2>/dev/null' EXIT INT TERM
# shellcheck disable=SC2086
$python -m pytest -q $slowest -o cache_dir=.pytest_cache/windows $beside "$@" >"$told" 2>&1 &
windows=$!
[ $# -gt 0 ] || make lint
linted=$?
# shellcheck disable=SC2046,SC2086
$python -m pytest -q $slowest $(printf -- '--ignore=%s ' $beside) "$@"
rest=$?
wait "$windows"
seen=$?
echo
echo "$beside, run beside these:"
cat "$told"
[ "$linted" -eq 0 ] || echo "style, types or layers are not as they should be: make lint"
[ "$linted" -eq 0 ] && [ "$rest" -eq 0 ] && [ "$seen" -eq 0 ]
