#!/usr/bin/env bash
# Checks for the Go toolchain. Installs nothing.
set -eu

if ! command -v go >/dev/null 2>&1; then
    echo "go is not on PATH." >&2
    echo "Install it:" >&2
    echo "  macOS: brew install go" >&2
    echo "  Debian, Ubuntu: sudo apt install golang-go" >&2
    echo "  others: https://go.dev/doc/install" >&2
    exit 1
fi
