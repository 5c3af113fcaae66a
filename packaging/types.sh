#!/bin/sh
# Checks types. A tree without mypy's cache, such as a fresh clone, begins with that of the last tree that passed on this
# machine: mypy looks at each file all the same, and checks those again whose text, or that of an import, is another one.
set -eu
cd "$(dirname "$0")/.."
kept=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/gpu-twin/mypy.tar
if [ ! -d .mypy_cache ] && [ -f "$kept" ]; then
    tar -xf "$kept" 2>/dev/null || rm -rf .mypy_cache
fi
.venv/bin/mypy
if mkdir -p "${kept%/*}" 2>/dev/null && tar -cf "$kept.$$" .mypy_cache 2>/dev/null; then
    mv -f "$kept.$$" "$kept"  # whole or not at all: another tree may be reading it
else
    rm -f "$kept.$$"
fi
