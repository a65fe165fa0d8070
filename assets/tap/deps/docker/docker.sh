#!/usr/bin/env bash
# Checks for the docker command line. Installs nothing.
set -eu

if ! command -v docker >/dev/null 2>&1; then
    echo "docker is not on PATH." >&2
    echo "Install Docker Engine or Docker Desktop: https://docs.docker.com/get-started/get-docker/" >&2
    echo "(podman works too when it is called docker: the package podman-docker)." >&2
    exit 1
fi
