#!/bin/sh
# Takes the pictures of assets/pictures/ again: one of each shipped scene.
set -eu
cd "$(dirname "$0")/.."
for file in scenes/*.twin.yaml; do
    name=$(basename "$file" .twin.yaml)
    echo "assets/pictures/$name.png" >&2
    .venv/bin/twin shot "$file" -o "assets/pictures/$name.png" --size 1600x1000
done
