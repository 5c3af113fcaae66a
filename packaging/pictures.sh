#!/bin/sh
# Takes the pictures of assets/pictures/ again: one of each shipped scene, at a time when something is going on.
set -eu
cd "$(dirname "$0")/.."

take() {
    name=$1
    shift
    echo "assets/pictures/$name.png" >&2
    .venv/bin/twin shot "scenes/$name.twin.yaml" -o "assets/pictures/$name.png" --size 1600x1000 "$@"
}

mkdir -p assets/pictures
take lab-16 --at '8 h'
take superpod-h100
take llama3-16k --at '20 day'
take nvl72-row
take video-ingest
take fat-tree-1k --cables load
take ethernet-tcp --cables load
take mixed-workloads --colour-by gpu.job
take frontier --at '3.8 h'
take pump-trip --at '318 s'
take blackout --at '36 min' --colour-by gpu.state
take repair-shop --at '17 day' --colour-by gpu.state
take shared-cluster --at '4.5 day' --colour-by gpu.tenant
take recovery-policies --at '30 h' --colour-by gpu.job
take hybrid-burst --at '14 h' --colour-by gpu.job

# queue.png is the window itself, with the queue in front; compare.png is Run > Compare designs, pump-trip beside
# itself without its interventions: two scenes with failures in one of them alone tell nothing of the trip; lesson.png is
# a lesson at its task.
xvfb-run -a -s '-screen 0 1700x1100x24' .venv/bin/python packaging/window_pictures.py

# Parts of the palette, each by itself as the hall draws it.
.venv/bin/python packaging/part_pictures.py --all
