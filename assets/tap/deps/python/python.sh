#!/usr/bin/env bash
# Checks for Python 3 with venv. Installs nothing.
set -eu

if ! command -v python3 >/dev/null 2>&1; then
    echo "python3 is not on PATH." >&2
    echo "Install it:" >&2
    echo "  Debian, Ubuntu: sudo apt install python3 python3-venv" >&2
    echo "  Fedora: sudo dnf install python3" >&2
    echo "  macOS: brew install python" >&2
    exit 1
fi

if ! python3 -c 'import venv, ensurepip' >/dev/null 2>&1; then
    echo "python3 is here, but it cannot make virtual environments." >&2
    echo "  Debian, Ubuntu: sudo apt install python3-venv" >&2
    exit 1
fi
