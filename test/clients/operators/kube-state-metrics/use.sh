#!/bin/bash
# kube-state-metrics on the cluster of $KUBECONFIG, installed with its own manifests ($SOURCE/examples/standard).
# Called by ../run.sh, which provides `kubectl` and the image.
set -u
# shellcheck source=test/clients/operators/steps.sh
. "${0%/*}/../steps.sh"
image=operators.test/tool:test
manifests=$SOURCE/examples/standard

install_manifests() {
  kubectl apply -k "$manifests" && kubectl -n kube-system rollout status deployment/kube-state-metrics --timeout=120s
}
apply() { printf '%s\n' "$1" | kubectl apply -f -; }
metrics() { kubectl get --raw "/api/v1/namespaces/kube-system/services/kube-state-metrics:$1/proxy/metrics"; }
# has PATTERN: a line of its metrics.
has() { metrics 8080 | grep -E "$1"; }
lacks() { ! metrics 8080 | grep -E "$1"; }
no_errors() { ! metrics 8081 | grep -E '^kube_state_metrics_(list|watch)_total\{.*result="error".*\} [1-9]'; }
objects() {
  apply "{apiVersion: v1, kind: List, items: [
    {apiVersion: apps/v1, kind: Deployment, metadata: {name: counted}, spec: {replicas: 2, selector: {matchLabels: {app: counted}},
    template: {metadata: {labels: {app: counted}}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: tool, image: $image,
    args: [sleep], resources: {requests: {cpu: 10m}, limits: {memory: 32Mi}}, volumeMounts: [{name: data, mountPath: /data}]}],
    volumes: [{name: data, persistentVolumeClaim: {claimName: counted}}]}}}},
    {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: counted}, spec: {accessModes: [ReadWriteOnce],
    resources: {requests: {storage: 16Mi}}}},
    {apiVersion: batch/v1, kind: CronJob, metadata: {name: counted}, spec: {schedule: '0 0 1 1 *', jobTemplate: {spec: {template: {spec: {
    restartPolicy: Never, containers: [{name: tool, image: $image, args: [exit, '0']}]}}}}}},
    {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: counted}, spec: {rules: [{host: counted.test, http: {paths: [
    {path: /, pathType: Prefix, backend: {service: {name: counted, port: {number: 80}}}}]}}]}}]}"
}

step "the manifests install, and it is available" install_manifests
[ "$steps_failed" = 0 ] || exit 1
version=$(kubectl get nodes -o 'jsonpath={.items[0].status.nodeInfo.kubeletVersion}')
eventually "the node is there, with its versions" 60 has "^kube_node_info\{.*container_runtime_version=\"containerd://.*kubelet_version=\"$version\""
step "the node is Ready" has '^kube_node_status_condition\{.*condition="Ready",status="true"\} 1'
step "the API server's Service is there" has '^kube_service_info\{namespace="default",service="kubernetes"'
eventually "the lease of the node is there" 30 has '^kube_lease_owner\{.*owner_kind="Node"'

step "objects of several kinds are created" objects
eventually "a Deployment with two available Pods" 120 has '^kube_deployment_status_replicas_available\{namespace="default",deployment="counted"\} 2'
eventually "Pods with the node, and the ReplicaSet that created them" 30 has '^kube_pod_info\{namespace="default",pod="counted-.*created_by_kind="ReplicaSet"'
eventually "what their containers ask for" 30 has '^kube_pod_container_resource_requests\{.*pod="counted-.*resource="cpu",unit="core"\} 0.01'
eventually "a claim that is bound" 60 has '^kube_persistentvolumeclaim_status_phase\{namespace="default",persistentvolumeclaim="counted",phase="Bound"\} 1'
eventually "the volume, of class local" 30 has '^kube_persistentvolume_info\{.*storageclass="local"'
eventually "when the CronJob runs next" 60 has '^kube_cronjob_next_schedule_time\{namespace="default",cronjob="counted"\} [0-9]'
eventually "where the Ingress leads" 30 has '^kube_ingress_path\{namespace="default",ingress="counted".*service_name="counted"'
step "the Deployment is scaled" kubectl scale deployment/counted --replicas=1
eventually "the metrics follow" 60 has '^kube_deployment_status_replicas_available\{namespace="default",deployment="counted"\} 1'
step "all is deleted" kubectl delete deployment/counted cronjob/counted ingress/counted pvc/counted --timeout=90s
eventually "and leaves the metrics" 60 lacks '"counted'
step "every list and watch has succeeded" no_errors

step "no container has restarted" sh -c "! kubectl -n kube-system get pods -l app.kubernetes.io/name=kube-state-metrics -o \
  'jsonpath={.items[*].status.containerStatuses[*].restartCount}' | grep '[1-9]'"
step "the manifests are removed" kubectl delete -k "$manifests" --timeout=90s
exit "$((steps_failed > 0))"
