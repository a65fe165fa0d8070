#!/usr/bin/env bash
# Checks for a JDK. Installs nothing.
set -eu

if ! command -v javac >/dev/null 2>&1; then
    echo "javac is not on PATH." >&2
    echo "A JDK is needed; a runtime is not enough:" >&2
    echo "  Debian, Ubuntu: sudo apt install default-jdk" >&2
    echo "  Fedora: sudo dnf install java-latest-openjdk-devel" >&2
    echo "  macOS: brew install openjdk" >&2
    echo "  others: https://adoptium.net" >&2
    exit 1
fi
