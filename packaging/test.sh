#!/bin/sh
# All tests in three parts beside each other, which take about as long. Windows wait now and then: so many parts keep two
# processors busy. Each lists its slowest twenty. Without arguments the last begins with style, types and layers (make
# lint). Arguments go to pytest: `-m slow` runs the long tests instead of the usual ones.
set -u
cd "$(dirname "$0")/.."
unset PYTHONDONTWRITEBYTECODE  # each program that a test starts would compile all of it again
first="tests/view3d tests/analysis tests/report tests/record tests/api"
second="tests/cli tests/lessons tests/commands tests/runtime"
pytest=".venv/bin/python -m pytest -q --durations=20 --durations-min=1"
told=$(mktemp -d)
beside=
trap 'rm -rf "$told"; kill $beside 2>/dev/null' EXIT INT TERM
# shellcheck disable=SC2086
$pytest -o cache_dir=.pytest_cache/first tests/app/test_app_[a-o]*.py $first "$@" >"$told/first" 2>&1 &
beside=$!
# shellcheck disable=SC2086
$pytest -o cache_dir=.pytest_cache/second tests/app $second --ignore-glob='*/test_app_[a-o]*' "$@" >"$told/second" 2>&1 &
beside="$beside $!"
[ $# -gt 0 ] || make lint
linted=$?
# shellcheck disable=SC2046,SC2086
$pytest $(printf -- '--ignore=%s ' tests/app $first $second) "$@"
rest=$?
seen=0
for part in $beside; do
    wait "$part" || seen=1
done
echo
echo "tests/app $first $second, run beside these:"
cat "$told/first" "$told/second"
[ "$linted" -eq 0 ] || echo "style, types or layers are not as they should be: make lint"
[ "$linted" -eq 0 ] && [ "$rest" -eq 0 ] && [ "$seen" -eq 0 ]
