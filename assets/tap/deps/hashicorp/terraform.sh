#!/usr/bin/env bash
# Checks for Terraform or OpenTofu. Installs nothing.
set -eu

if ! command -v terraform >/dev/null 2>&1 && ! command -v tofu >/dev/null 2>&1; then
    echo "neither terraform nor tofu is on PATH." >&2
    echo "Install one:" >&2
    echo "  Terraform: https://developer.hashicorp.com/terraform/install" >&2
    echo "  OpenTofu: https://opentofu.org/docs/intro/install/" >&2
    exit 1
fi
