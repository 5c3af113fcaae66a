#!/bin/sh
# All tests: those that open windows or draw beside all others; both take about as long, and wait at times.
# Each lists its slowest twenty. Without arguments style, types and layers (make lint) are checked beside both.
# Arguments go to pytest: `-m slow` runs the long tests instead of the usual ones.
set -u
cd "$(dirname "$0")/.."
unset PYTHONDONTWRITEBYTECODE  # each program that a test starts would compile all of it again
python=.venv/bin/python
slowest="--durations=20 --durations-min=1"
beside="tests/app tests/view3d"
told=$(mktemp -d)
[ $# -gt 0 ] || make lint >"$told/lint" 2>&1 &
lint=$!
# shellcheck disable=SC2086
$python -m pytest -q $slowest -o cache_dir=.pytest_cache/windows $beside "$@" >"$told/windows" 2>&1 &
windows=$!
trap 'rm -rf "$told"; kill "$windows" "$lint" 2>/dev/null' EXIT INT TERM
# shellcheck disable=SC2046,SC2086
$python -m pytest -q $slowest $(printf -- '--ignore=%s ' $beside) "$@"
rest=$?
wait "$windows"
seen=$?
wait "$lint"
linted=$?
echo
echo "$beside, run beside these:"
cat "$told"/*
[ "$linted" -eq 0 ] || echo "style, types or layers are not as they should be: make lint"
[ "$linted" -eq 0 ] && [ "$rest" -eq 0 ] && [ "$seen" -eq 0 ]
