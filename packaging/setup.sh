#!/bin/sh
# Makes .venv from requirements.lock, and installs what Debian lacks. Does nothing when all is there.
# Run from anywhere; PYTHON names the interpreter to use (3.11 or newer).
set -eu
cd "$(dirname "$0")/.."

say() { echo "setup: $*" >&2; }
fail() { say "$*"; exit 2; }

# --- which Python

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

# Keeps the one asked for when it will do, otherwise the newest that is there.
choose_python() {
    for name in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11; do
        if new_enough "$name"; then
            python=$name
            return
        fi
    done
    fail "this needs Python 3.11 or newer; install it, or name one: make run PYTHON=/path/to/python3"
}

# --- system packages of Debian and its relatives

# Prints those of its arguments that are not installed, also under another name that provides them.
missing_packages() {
    have=$(dpkg-query -W -f '${db:Status-Status} ${Package}, ${Provides}\n' 2>/dev/null |
        sed -n 's/^installed //p' | tr -d ' ' | sed 's/(=[^)]*)//g' | tr ',' '\n')
    for name in "$@"; do
        echo "$have" | grep -qxF "$name" || echo "$name"
    done
}

# Runs a command as root, if that is permitted without a question.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        sudo -n "$@"
    else
        return 1
    fi
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
}

# Installs the packages that are missing, or says which a person must install; true when all are there.
install_packages() {
    missing=$(missing_packages "$@" | paste -s -d " " -)
    [ -n "$missing" ] || return 0
    say "Debian packages to install: $missing"
    # shellcheck disable=SC2086  # names of packages hold no spaces
    if apt_install $missing; then return 0; fi
    # shellcheck disable=SC2086
    if as_root apt-get update -qq >/dev/null 2>&1 && apt_install $missing; then return 0; fi
    say "they cannot be installed from here; please run: sudo apt-get install $missing"
    return 1
}

# --- the virtual environment

# What the environment was made from; another text here means that it must be brought up to date.
recipe() {
    { pwd; "$python" -c 'import sys; print(sys.version, sys.executable)'; cat requirements.lock pyproject.toml; } | cksum
}

make_environment() {
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        if ! command -v apt-get >/dev/null 2>&1 || ! install_packages "python$version-venv"; then
            fail "$python lacks the module venv; install it (Debian: sudo apt-get install python$version-venv), then try again"
        fi
    fi
    if ! .venv/bin/python -m pip --version >/dev/null 2>&1 || ! same_python; then
        "$python" -m venv --clear .venv
    fi
    say "packages from requirements.lock into .venv; this is done once and takes a few minutes"
    export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
    .venv/bin/python -m pip install -qq --require-hashes -r requirements.lock
    .venv/bin/python -m pip install -qq --no-build-isolation --no-deps -e .
}

same_python() {
    [ "$(.venv/bin/python -c 'import sys; print(sys.version)')" = "$("$python" -c 'import sys; print(sys.version)')" ]
}

choose_python
if command -v dpkg-query >/dev/null 2>&1; then
    # Without them the command line still works, so this does not stop us.
    # shellcheck disable=SC2046  # one name a line
    install_packages $(cat packaging/debian-packages.txt) || true
fi
stamp=.venv/made-from
if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$(recipe)" ]; then
    make_environment
    recipe >"$stamp"
fi
