#!/usr/bin/env bash
# Checks that npx can start servers from npm. Installs nothing.
set -eu

if ! command -v npx >/dev/null 2>&1; then
    echo "npx is not on PATH." >&2
    echo "Install Node.js 20 or newer, which brings npx:" >&2
    echo "  Debian, Ubuntu: sudo apt install nodejs npm" >&2
    echo "  Fedora: sudo dnf install nodejs" >&2
    echo "  macOS: brew install node" >&2
    echo "  others: https://nodejs.org/en/download" >&2
    exit 1
fi

major=$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')
if [ "${major:-0}" -lt 20 ]; then
    echo "node is too old (version ${major:-unknown}); 20 or newer is needed." >&2
    echo "Install a newer one: https://nodejs.org/en/download" >&2
    exit 1
fi
