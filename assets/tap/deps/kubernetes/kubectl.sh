#!/usr/bin/env bash
# Checks for kubectl and a context to use it with. Installs nothing.
set -eu

if ! command -v kubectl >/dev/null 2>&1; then
    echo "kubectl is not on PATH." >&2
    echo "Install it:" >&2
    echo "  macOS: brew install kubectl" >&2
    echo "  others: https://kubernetes.io/docs/tasks/tools/" >&2
    exit 1
fi

if ! kubectl config current-context >/dev/null 2>&1; then
    echo "kubectl has no current context." >&2
    echo "Choose one: kubectl config get-contexts, then kubectl config use-context NAME." >&2
    exit 1
fi
