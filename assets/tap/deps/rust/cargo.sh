#!/usr/bin/env bash
# Checks for the Rust toolchain. Installs nothing.
set -eu

if ! command -v cargo >/dev/null 2>&1; then
    echo "cargo is not on PATH." >&2
    echo "Install the toolchain with rustup: https://rustup.rs" >&2
    echo "  macOS: brew install rustup" >&2
    echo "  Debian, Ubuntu: sudo apt install rustup, then rustup default stable" >&2
    exit 1
fi

if ! command -v rustc >/dev/null 2>&1; then
    echo "rustc is not on PATH." >&2
    echo "Choose a toolchain: rustup default stable" >&2
    exit 1
fi
