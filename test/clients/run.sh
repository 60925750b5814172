#!/bin/sh
# run.sh [LANGUAGE...]: runs the programs of this folder against the cluster of $KUBECONFIG: go, javascript, python, java, rust.
# Packages come from each language's own registry and go into a folder that is deleted afterwards.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${KUBECONFIG:?names no cluster}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run_go() { (cd "$here/go" && GOFLAGS=-mod=mod go run .); }
run_javascript() {
  (cd "$work" && npm install --silent --no-save --prefix "$work" @kubernetes/client-node >/dev/null)
  # The project's own Node: the library needs a new one.
  CLIENT_NODE=$work "$here"/../../node_modules/node-linux-*/bin/node "$here/client-node.mjs"
}
run_python() {
  python3 -m venv "$work/python"
  "$work/python/bin/pip" install --quiet kubernetes
  "$work/python/bin/python" "$here/python.py"
}
run_java() {
  cp -r "$here/java" "$work/java"
  (cd "$work/java" && mvn --quiet compile exec:java)
}
run_rust() {
  cp -r "$here/rust" "$work/rust"
  (cd "$work/rust" && cargo run --quiet)
}

failed=
for language in ${*:-go javascript python java rust}; do
  echo "== $language"
  "run_$language" || failed="$failed $language"
done
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
