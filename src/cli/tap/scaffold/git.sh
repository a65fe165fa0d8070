#!/usr/bin/env bash
# Checks that git is there. Says how to get it; installs nothing.
set -eu

if ! command -v git >/dev/null 2>&1; then
    echo "git is not on PATH; install it with the package manager of this system." >&2
    exit 1
fi
