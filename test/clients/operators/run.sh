#!/bin/bash
# run.sh [OPERATOR...]: runs operators (cert-manager, argo-rollouts), built from their Go modules, on a cluster of its own.
# Needs root, Go, openssl and a Go module proxy. The cluster, its images and all files are removed afterwards, but for Go's caches.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
cluster=${CLUSTER:-operators}
cert_manager=v1.21.2 argo_rollouts=v1.10.1 kubernetes=v1.37.1
work=$(mktemp -d)
export KUBECONFIG=$work/kubeconfig CGO_ENABLED=0 GOFLAGS="-p=2 -buildvcs=false -trimpath"
clean_up() {
  "$root/k8ts" down --name "$cluster" --purge >/dev/null 2>&1 || true
  chmod -R u+w "$work"
  rm -rf "$work"
}
trap clean_up EXIT

# The folder of a module, downloaded if necessary.
module() { (cd "$work" && go mod download -json "$1" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p'); }

# load_image NAME PROGRAM [ARGUMENT...]
load_image() {
  "$root"/node_modules/node-linux-*/bin/node "$here/write-image.ts" "$1" "$work/image.tar" "${@:2}"
  "$root/k8ts" image load --name "$cluster" "$work/image.tar" >/dev/null
  rm "$work/image.tar"
}

build() {
  mkdir -p "$work/bin"
  printf '#!/bin/sh\nexec "%s/k8ts" kubectl "$@"\n' "$root" >"$work/bin/kubectl"
  chmod +x "$work/bin/kubectl"
  export PATH=$work/bin:$PATH
  "build_${1//-/_}"
}
build_cert_manager() {
  CHART=$(module "github.com/cert-manager/cert-manager@$cert_manager")/deploy/charts/cert-manager
  export CHART
  for program in chart cert-manager; do
    cp -r "$here/$program" "$work/$program"
    (cd "$work/$program" && nice -n 5 go build -mod=mod -ldflags=-s -o "$work/bin/$program" .)
  done
}
build_argo_rollouts() {
  # Its go.mod replaces modules: it is built in a copy of its own folder.
  cp -r "$(module "github.com/argoproj/argo-rollouts@$argo_rollouts")" "$work/argo-rollouts"
  chmod -R u+w "$work/argo-rollouts"
  export MANIFESTS=$work/argo-rollouts/manifests
  # Compiled with the libraries of the Kubernetes that is tested.
  sed -i -E "s#(k8s.io/[a-z-]+ => k8s.io/[a-z-]+) v0\\.34\\.[0-9]+#\\1 v0${kubernetes#v1}#; s#(k8s.io/kubernetes) v[0-9.]+#\\1 $kubernetes#" \
    "$work/argo-rollouts/go.mod"
  (cd "$work/argo-rollouts" && nice -n 5 go build -mod=mod -ldflags=-s -o "$work/bin/rollouts-controller" ./cmd/rollouts-controller)
}
load_cert_manager() {
  for program in controller webhook cainjector; do
    load_image "operators.test/cert-manager-$program:test" "$work/bin/cert-manager" $program
  done
}
load_argo_rollouts() {
  load_image "$(sed -n 's/.*image: \(.*argo-rollouts:.*\)/\1/p' "$MANIFESTS/install.yaml")" "$work/bin/rollouts-controller"
}

for operator in ${*:-cert-manager argo-rollouts}; do
  echo "== building $operator"
  build "$operator"
done
"$root/k8ts" up --name "$cluster"
failed=
for operator in ${*:-cert-manager argo-rollouts}; do
  echo "== $operator"
  "load_${operator//-/_}"
  "$here/$operator.sh" || failed="$failed $operator"
done
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
