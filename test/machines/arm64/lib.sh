# Shared by start, run and stop: a Debian for arm64 in a folder, whose programs qemu-user runs on this machine.
root=${K8TS_ARM64:-/var/tmp/k8ts-arm64}
suite=${SUITE:-bookworm}

fail() { echo "$(basename "$0"): $*" >&2; exit 1; }
