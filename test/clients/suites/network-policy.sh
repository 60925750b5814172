#!/bin/bash
# network-policy.sh [TEST]: runs the conformance suite of network-policy-api, with its experimental features, on a cluster of two nodes,
# and prints each test and what it consists of; TEST is the pattern of some. Needs root, Go, a Go module proxy, and the images of the
# conformance kit in $KUBE_CONFORMANCE_CACHE. The suite's full output stays in $OUT, by default a folder that is deleted.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
k8ts=$here/../../../k8ts
module=sigs.k8s.io/network-policy-api@v0.2.0 kubernetes=v0.37.1 controller_runtime=v0.25.2
cluster=${CLUSTER:-network-policy} images=${KUBE_CONFORMANCE_CACHE:-$HOME/.cache/kube-conformance}/images/oci
work=$(mktemp -d)
out=${OUT:-$work/out}
export KUBECONFIG=$work/kubeconfig CGO_ENABLED=0 GOFLAGS="-p=2 -buildvcs=false -mod=mod" GOWORK=off
clean_up() {
  "$k8ts" down --name "$cluster" --purge >/dev/null 2>&1 || true
  chmod -R u+w "$work"
  rm -rf "$work"
}
trap clean_up EXIT
mkdir -p "$out"

source=$work/source
cp -r "$(cd "$work" && go mod download -json "$module" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')" "$source"
chmod -R u+w "$source"
# The image that the kit has is another version of the same program.
agnhost=$(grep -o '[^"]*e2e-test-images/agnhost:[^"]*' "$images/index.json" | head -n 1)
sed -i "s#registry.k8s.io/e2e-test-images/agnhost:[0-9.]*#$agnhost#" "$source/conformance/base/manifests.yaml"
# Where the kernel has no SCTP, its servers would never be ready: they listen by TCP, connections by SCTP are left out of tests, and
# tests of nothing else are skipped.
skip=
if ! grep -q '^SCTP' /proc/net/protocols; then
  sed -i 's/SERVE_SCTP_PORT_/SERVE_PORT_/' "$source/conformance/base/manifests.yaml"
  sed -i '/^func PokeServer(/a if protocol == "sctp" { return }' "$source/conformance/utils/kubernetes/helper.go"
  skip='TestConformance/.*SCTP'
fi
# Compiled with the libraries of the Kubernetes that is tested.
(cd "$source" && for part in api apiextensions-apiserver apimachinery client-go code-generator; do
  go mod edit -require="k8s.io/$part@$kubernetes"
done && go mod edit -require="sigs.k8s.io/controller-runtime@$controller_runtime")
(cd "$source" && nice -n 10 go test -c -vet=off -o "$work/conformance.test" ./conformance)

"$k8ts" up --name "$cluster" --nodes 2
"$k8ts" image load --name "$cluster" "$images" >/dev/null
"$k8ts" kubectl apply -f "$source/config/crd/experimental/policy.networking.k8s.io_clusternetworkpolicies.yaml"
"$k8ts" kubectl wait --for=condition=Established crd/clusternetworkpolicies.policy.networking.k8s.io --timeout=60s
status=0
(cd "$work" && ./conformance.test -test.run "TestConformance\$/${1:-}" -test.skip "$skip" -test.v -test.timeout=60m -all-features >"$out/conformance.log" 2>&1) || status=$?
grep -E '^ +--- ' "$out/conformance.log" || tail -n 20 "$out/conformance.log"
exit "$status"
