#!/usr/bin/env bash
# Checks that uvx can start servers from PyPI. Installs nothing.
set -eu

if ! command -v uvx >/dev/null 2>&1; then
    echo "uvx is not on PATH." >&2
    echo "Install uv, which brings uvx:" >&2
    echo "  macOS: brew install uv" >&2
    echo "  with pipx: pipx install uv" >&2
    echo "  others: https://docs.astral.sh/uv/getting-started/installation/" >&2
    exit 1
fi
