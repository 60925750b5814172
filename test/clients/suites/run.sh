#!/bin/bash
# run.sh UPSTREAM [SUITE...]: runs the envtest suites of controller-runtime and jobset with upstream's programs (the folder UPSTREAM has
# kube-apiserver, etcd and kubectl) and with ours, and compares them test by test. Needs Go and a Go module proxy.
# Results stay in $OUT, by default a folder that is deleted. Some tests listen on fixed ports (8080): nothing else may, meanwhile.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
controller_runtime=v0.25.2 jobset=v0.12.0 kubernetes=v0.37.0
upstream=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
out=${OUT:-$work/out}
export CGO_ENABLED=0 GOFLAGS="-p=2 -buildvcs=false -mod=mod"
# A busy machine takes longer than envtest's default of 20 s.
export KUBEBUILDER_CONTROLPLANE_START_TIMEOUT=120s KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT=120s

# Programs under upstream's names that start ours; etcd is the real one.
mkdir -p "$work/ours"
for program in kube-apiserver kubectl; do
  printf '#!/bin/sh\nexec "%s/k8ts" %s "$@"\n' "$root" $program >"$work/ours/$program"
  chmod +x "$work/ours/$program"
done
ln -s "$upstream/etcd" "$work/ours/etcd"

# copy_module NAME VERSION FOLDER: tests write beside themselves.
copy_module() {
  cp -r "$(cd "$work" && go mod download -json "$1@$2" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')" "$work/$3"
  chmod -R u+w "$work/$3"
  # A module's archive keeps no permissions.
  find "$work/$3" -name '*.sh' -exec chmod u+x {} +
}
prepare_controller_runtime() {
  copy_module sigs.k8s.io/controller-runtime $controller_runtime controller-runtime
  folders=$(cd "$work/controller-runtime" && grep -rl envtest --include='*_test.go' pkg | xargs -n1 dirname | sort -u)
}
prepare_jobset() {
  copy_module sigs.k8s.io/jobset $jobset jobset
  # Compiled with the libraries of the Kubernetes that is tested.
  (cd "$work/jobset" && for part in api apimachinery apiserver client-go component-base cli-runtime code-generator; do
    echo "k8s.io/$part@$kubernetes"
  done | xargs go get "sigs.k8s.io/controller-runtime@$controller_runtime") 2>/dev/null
  folders="test/integration/webhook test/integration/controller"
}

# run SIDE PROGRAMS SUITE FOLDER
run() {
  name=${4//\//_}
  mkdir -p "$out/$1/$3"
  report=
  grep -q RunSpecs "$work/$3/$4"/*_test.go && report=-ginkgo.json-report=$out/$1/$3/$name.ginkgo.json
  started=$(date +%s)
  (cd "$work/$3/$4" && KUBEBUILDER_ASSETS=$2 nice -n 5 go tool test2json "$work/$3.test" -test.v=test2json -test.timeout=30m \
    $report >"$out/$1/$3/$name.json" 2>"$out/$1/$3/$name.err") || true
  echo "$1 $3 $4: $(($(date +%s) - started)) s"
}

for suite in ${*:-controller-runtime jobset}; do
  "prepare_${suite//-/_}"
  for folder in $folders; do
    (cd "$work/$suite" && nice -n 5 go test -vet=off -c -o "$work/$suite.test" "./$folder")
    run upstream "$upstream" "$suite" "$folder"
    run ours "$work/ours" "$suite" "$folder"
  done
done
"$root"/node_modules/node-linux-*/bin/node "$here/compare.ts" "$out/upstream" "$out/ours"
