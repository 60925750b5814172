#!/bin/bash
# run.sh [OPERATOR...]: builds third-party programs from their Go modules, installs each on a cluster, and uses it.
# Each has a folder here: build.sh builds and loads its images, use.sh installs it and checks what it does.
# Needs root, Go, openssl and a Go module proxy. The cluster, its images and all files are removed afterwards, but for Go's
# caches. KEEP=1 leaves the cluster running.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
export CLUSTER=${CLUSTER:-operators} K8TS=$root/k8ts
kubernetes=v0.37.1 controller_runtime=v0.25.2
work=$(mktemp -d)
export KUBECONFIG=$work/kubeconfig CGO_ENABLED=0 GOFLAGS="-p=2 -buildvcs=false -mod=mod" GOWORK=off
clean_up() {
  [ -n "${KEEP:-}" ] || "$K8TS" down --name "$CLUSTER" --purge >/dev/null 2>&1 || true
  chmod -R u+w "$work"
  rm -rf "$work"
}
trap clean_up EXIT

# module NAME@VERSION: the folder of a module, downloaded if necessary.
module() { (cd "$work" && go mod download -json "$1" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p'); }

# copy_module NAME@VERSION: $SOURCE becomes a copy of the module, to be built with its own go.mod, which may replace modules.
copy_module() {
  SOURCE=$work/source/${1##*/}
  mkdir -p "$work/source"
  cp -r "$(module "$1")" "$SOURCE"
  chmod -R u+w "$SOURCE"
  export SOURCE
}

# use_libraries: $SOURCE is compiled with the libraries of the Kubernetes that is tested.
use_libraries() {
  sed -i -E "s#(k8s\\.io/[a-z-]+) v0\\.3[0-9]\\.[0-9]+#\\1 $kubernetes#; s#(sigs\\.k8s\\.io/controller-runtime) v0\\.2[0-9]\\.[0-9]+#\\1 $controller_runtime#" \
    "$SOURCE/go.mod"
}

# compile PACKAGE PROGRAM [FLAG...]: builds a package of $SOURCE.
compile() { (cd "$SOURCE" && nice -n 5 go build -ldflags=-s -o "$work/bin/$2" "${@:3}" "$1"); }

# load_image NAME PROGRAM[:PATH] [ARGUMENT...]: an image with that program on all nodes.
load_image() {
  "$root"/node_modules/node-linux-*/bin/node "$here/write-image.ts" "$1" "$work/image.tar" "$work/bin/$2" "${@:3}"
  "$K8TS" image load --name "$CLUSTER" "$work/image.tar" >/dev/null
  rm "$work/image.tar"
}

# image_of PATTERN FILE: the first image in a file of objects whose name matches.
image_of() { sed -n "s#.*image: *\"*\\([^\" ]*$1[^\" ]*\\)\"*.*#\\1#p" "$2" | head -n 1; }

mkdir -p "$work/bin"
printf '#!/bin/sh\nexec "%s" kubectl "$@"\n' "$K8TS" >"$work/bin/kubectl"
chmod +x "$work/bin/kubectl"
export PATH=$work/bin:$PATH
for program in tool chart; do
  cp -r "$here/$program" "$work/$program"
  SOURCE=$work/$program compile . $program
done
"$K8TS" up --name "$CLUSTER"
load_image operators.test/tool:test tool

operators=$*
[ -n "$operators" ] || operators=$(cd "$here" && for folder in */use.sh; do dirname "$folder"; done)
failed=
for operator in $operators; do
  echo "== $operator"
  # Not as a condition: there, the shell would go on after an error.
  set +e
  (
    set -eu
    # shellcheck source=/dev/null
    . "$here/$operator/build.sh"
    "$here/$operator/use.sh"
  )
  status=$?
  set -e
  [ $status = 0 ] || failed="$failed $operator"
done
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
