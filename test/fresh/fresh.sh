#!/bin/bash
# Builds a minimal Debian with nothing but npm and ca-certificates, enters it in namespaces of its own, and runs the commands of the
# README there: `./k8ts test` must pass, `./k8ts up` must run a Pod. Needs root, apt and a way to the package registries.
# FRESH_FILTER limits the tests; FRESH_KEEP=1 keeps the folder. Usage: ./k8ts test --fresh
set -euo pipefail

checkout=$(cd "$(dirname "$0")/../.." && pwd)
name=k8ts-fresh-$$
host=fresh-$$ # The node's name, after which its cgroups are named: those of this machine are seen from inside.
work=
forwarded=

say() { echo "fresh: $*"; }
fail() { echo "fresh: $*" >&2; exit 1; }

clean_up() {
  set +e
  trap '' INT TERM HUP
  # The first process of the namespace takes all others of it along.
  [ -z "${inside:-}" ] || { kill -9 "$inside" 2>/dev/null; wait "$inside" 2>/dev/null; }
  nft delete table ip "${name//-/_}" 2>/dev/null
  ip link delete "${name##*-}f0" 2>/dev/null
  ip netns delete "$name" 2>/dev/null
  [ -z "$forwarded" ] || echo "$forwarded" >/proc/sys/net/ipv4/ip_forward
  # What a cluster that was ended by force has left; one that was taken down has left nothing.
  find "/sys/fs/cgroup/k8ts-$host" /sys/fs/cgroup/*/"k8ts-$host" -depth -type d -exec rmdir {} + 2>/dev/null
  if [ -n "$work" ] && [ -z "${FRESH_KEEP:-}" ]; then rm -rf --one-file-system "$work"; fi
}

check_machine() {
  [ "$(id -u)" = 0 ] || fail "only root may make namespaces and install packages"
  local package
  for package in mmdebstrap iproute2 nftables; do
    dpkg -s "$package" >/dev/null 2>&1 && continue
    say "installing $package"
    apt-get update -qq && apt-get install -qq -y --no-install-recommends "$package" >/dev/null
  done
  case ${http_proxy:-}${https_proxy:-}${HTTP_PROXY:-}${HTTPS_PROXY:-} in
    *://127.* | *://localhost*) fail "a proxy on this machine's loopback is out of reach of a network namespace" ;;
  esac
}

# Where this machine has its own release from; a mirror of its own, if it has one.
sources() {
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    grep -E " $release(-updates|-security)? main$" | sort -u
}

build_root() {
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  [ -n "$(sources)" ] || apt-get update -qq
  [ -n "$(sources)" ] || fail "apt has no sources of $release"
  local proxies=()
  while read -r option; do proxies+=(--aptopt="$option"); done < <(apt-config dump | grep -iE '^Acquire::https?::.*Proxy' || true)
  say "building Debian $release with npm and ca-certificates in $work/root"
  sources | mmdebstrap --quiet --variant=minbase --include=npm,ca-certificates --dpkgopt=force-unsafe-io "${proxies[@]}" "$release" "$work/root" -
  # The machine's authorities, should it have one of its own between itself and the registries; and its name servers.
  cp /etc/ssl/certs/ca-certificates.crt "$work/root/etc/ssl/certs/"
  local resolvers=/etc/resolv.conf
  ! grep -q '^nameserver 127\.' $resolvers || resolvers=/run/systemd/resolve/resolv.conf
  cat $resolvers >"$work/root/etc/resolv.conf"
  echo "127.0.0.1 localhost $host" >"$work/root/etc/hosts"
  mkdir "$work/root/opt/k8ts"
  tar -C "$checkout" --exclude=./node_modules --exclude=./.git --exclude=./.install.lock --exclude=./.install -cf - . | tar -C "$work/root/opt/k8ts" -xf -
}

# A namespace that reaches what this machine reaches, through an address of its own.
build_network() {
  local subnet=198.18.$(($$ % 256)) near=${name##*-}f0 far=${name##*-}f1
  ip netns add "$name"
  ip link add "$near" type veth peer name "$far" netns "$name"
  ip address add "$subnet.1/24" dev "$near"
  ip link set "$near" up
  ip -n "$name" link set lo up
  ip -n "$name" address add "$subnet.2/24" dev "$far"
  ip -n "$name" link set "$far" up
  ip -n "$name" route add default via "$subnet.1"
  forwarded=$(cat /proc/sys/net/ipv4/ip_forward)
  echo 1 >/proc/sys/net/ipv4/ip_forward
  nft -f - <<EOF
table ip ${name//-/_} {
  chain postrouting {
    type nat hook postrouting priority srcnat;
    ip saddr $subnet.0/24 oifname != "$near" masquerade
  }
}
EOF
}

# What runs inside, with the root file system in $1; its own mounts are gone when it ends.
enter() {
  cat <<'EOF'
set -eu
root=$1 host=$2 filter=$3
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
hostname "$host"
cd "$root"
mkdir -p .old
pivot_root . .old
cd /
umount --lazy /.old
rmdir /.old
exec sh /opt/k8ts/test/fresh/inside.sh $filter
EOF
}

# How npm reaches its registry, if this machine has a setting for that.
npm_settings() {
  local key value
  for key in registry proxy https-proxy; do
    value=$(npm config get "$key" 2>/dev/null || true)
    case $value in "" | null | undefined) ;; *) echo "npm_config_${key//-/_}=$value" ;; esac
  done
}

run_inside() {
  local settings variable
  mapfile -t settings < <(npm_settings)
  for variable in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    [ -z "${!variable:-}" ] || settings+=("$variable=${!variable}")
  done
  nsenter --net="/run/netns/$name" env -i \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM="${TERM:-dumb}" \
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "${settings[@]}" \
    unshare --mount --pid --uts --ipc --fork --kill-child \
    sh -c "$(enter)" fresh "$work/root" "$host" "${FRESH_FILTER:-}" </dev/null &
  inside=$!
  wait "$inside"
  inside=
}

check_machine
trap clean_up EXIT
trap 'exit 130' INT TERM HUP
work=$(mktemp -d /var/tmp/k8ts-fresh.XXXXXX)
build_root
build_network
run_inside
say "both commands of the README work on a fresh Debian $release"
