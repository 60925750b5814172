#!/bin/sh
# A real chart's life with a real helm against the cluster of $KUBECONFIG: HELM=path/to/helm test/clients/helm.sh
# helm is built by `go install helm.sh/helm/v3/cmd/helm@latest`.
set -eu
helm=${HELM:-helm}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HELM_CACHE_HOME="$work/cache" HELM_CONFIG_HOME="$work/config" HELM_DATA_HOME="$work/data"
namespace=helm-demo

step() { echo "--- $*"; "$@"; }
step "$helm" create "$work/demo" >/dev/null
step "$helm" install demo "$work/demo" -n $namespace --create-namespace --dry-run=server >/dev/null
step "$helm" install demo "$work/demo" -n $namespace --create-namespace \
  --set autoscaling.enabled=true --set ingress.enabled=true
step "$helm" list -n $namespace
step "$helm" upgrade demo "$work/demo" -n $namespace --set replicaCount=3 --set service.type=NodePort
step "$helm" history demo -n $namespace
step "$helm" rollback demo 1 -n $namespace
step "$helm" get manifest demo -n $namespace >/dev/null
step "$helm" status demo -n $namespace
step "$helm" uninstall demo -n $namespace
step "$helm" list -n $namespace
