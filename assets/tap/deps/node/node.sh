#!/usr/bin/env bash
# Checks for the Node.js toolchain. Installs nothing.
set -eu

if ! command -v node >/dev/null 2>&1; then
    echo "node is not on PATH." >&2
    echo "Install Node.js:" >&2
    echo "  Debian, Ubuntu: sudo apt install nodejs npm" >&2
    echo "  Fedora: sudo dnf install nodejs" >&2
    echo "  macOS: brew install node" >&2
    echo "  others: https://nodejs.org/en/download" >&2
    exit 1
fi

if ! command -v npm >/dev/null 2>&1; then
    echo "npm is not on PATH." >&2
    echo "Install it beside node:" >&2
    echo "  Debian, Ubuntu: sudo apt install npm" >&2
    echo "  others: it comes with https://nodejs.org/en/download" >&2
    exit 1
fi
