#!/usr/bin/env bash
# Checks for Git. Installs nothing.
set -eu

if ! command -v git >/dev/null 2>&1; then
    echo "git is not on PATH." >&2
    echo "Install it:" >&2
    echo "  Debian, Ubuntu: sudo apt install git" >&2
    echo "  Fedora: sudo dnf install git" >&2
    echo "  macOS: xcode-select --install" >&2
    exit 1
fi
