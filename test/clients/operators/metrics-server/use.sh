#!/bin/bash
# metrics-server on the cluster of $KUBECONFIG, installed with its own manifests ($SOURCE/manifests/overlays/release), in place
# of the one that the cluster has. Called by ../run.sh, which provides `kubectl`, the image, $K8TS and $CLUSTER.
set -u
# shellcheck source=test/clients/operators/steps.sh
. "${0%/*}/../steps.sh"
image=operators.test/tool:test
manifests=$SOURCE/manifests/overlays/release
service='{.spec.service.name}'

install_manifests() {
  # Kubelets have certificates of an authority of their own, which Pods don't trust by themselves.
  kubectl apply -k "$manifests" &&
    kubectl -n kube-system patch deployment metrics-server --type=json -p '[
      {"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--kubelet-certificate-authority=/kubelet-ca/ca.crt"},
      {"op":"add","path":"/spec/template/spec/containers/0/volumeMounts/-","value":{"name":"kubelet-ca","mountPath":"/kubelet-ca"}},
      {"op":"add","path":"/spec/template/spec/volumes/-","value":{"name":"kubelet-ca","configMap":{"name":"kubelet-serving-ca"}}}]' &&
    kubectl -n kube-system rollout status deployment/metrics-server --timeout=180s
}
apply() { printf '%s\n' "$1" | kubectl apply -f -; }
burning() {
  apply "{apiVersion: apps/v1, kind: Deployment, metadata: {name: burn}, spec: {replicas: 1, selector: {matchLabels: {app: burn}},
    template: {metadata: {labels: {app: burn}}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: tool, image: $image,
    args: [burn, '10'], resources: {requests: {cpu: 10m}}}]}}}}"
}
is_available() { field True apiservice v1beta1.metrics.k8s.io '{.status.conditions[?(@.type=="Available")].status}'; }
is_gone() { refuses NotFound kubectl get apiservice v1beta1.metrics.k8s.io; }
answers() { kubectl top nodes --no-headers | grep -q '%' && kubectl top pods -A --no-headers | grep -q "$1"; }

step "the cluster's own metrics are switched off" "$K8TS" up --name "$CLUSTER" --disable=metrics-server
eventually "their API is gone" 60 is_gone
step "the manifests install, and metrics-server is available: it verifies the kubelet's certificate" install_manifests
[ "$steps_failed" = 0 ] || exit 1
eventually "its API is available" 60 is_available
step "by its Service" field metrics-server apiservice v1beta1.metrics.k8s.io "$service"
step "a Pod that uses a tenth of a processor is created" burning
eventually "kubectl top shows nodes and Pods" 120 answers burn
step "its metrics have the container" sh -c "kubectl get --raw /apis/metrics.k8s.io/v1beta1/namespaces/default/pods | grep -q '\"name\":\"tool\"'"
step "an autoscaler is created" kubectl autoscale deployment burn --cpu=50% --min=1 --max=2
eventually "it adds a Pod" 180 field 2 deployment burn '{.status.readyReplicas}'
step "its condition is true" field ValidMetricFound hpa burn '{.status.conditions[?(@.type=="ScalingActive")].reason}'
step "no container has restarted" sh -c \
  "! kubectl -n kube-system get pods -l k8s-app=metrics-server -o 'jsonpath={.items[*].status.containerStatuses[*].restartCount}' | grep '[1-9]'"
step "Pods and autoscaler are deleted" kubectl delete deployment/burn hpa/burn --timeout=60s
step "the manifests are removed" kubectl delete -k "$manifests" --timeout=90s
step "the cluster's own metrics are switched on again" "$K8TS" up --name "$CLUSTER" --disable=
eventually "and are available" 90 is_available
eventually "kubectl top shows the node" 90 sh -c "kubectl top nodes --no-headers | grep -q '%'"
exit "$((steps_failed > 0))"
