#!/bin/bash
# The controller of JobSet on the cluster of $KUBECONFIG, installed with its own manifests ($SOURCE/config/default).
# Called by ../run.sh, which provides `kubectl` and the image.
set -u
# shellcheck source=test/clients/operators/steps.sh
. "${0%/*}/../steps.sh"
image=operators.test/tool:test

install_manifests() {
  kubectl apply --server-side -k "$SOURCE/config/default" &&
    kubectl -n jobset-system rollout status deployment/jobset-controller-manager --timeout=180s
}
apply() { printf '%s\n' "$1" | kubectl apply -f -; }
# job_template ARGUMENTS: a Job of one Pod that runs the tool, and is not tried again.
job_template() {
  echo "{spec: {backoffLimit: 0, template: {spec: {restartPolicy: Never, terminationGracePeriodSeconds: 1,
    containers: [{name: tool, image: $image, args: $1}]}}}}"
}
talk() {
  apply "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: talk}, spec: {
    successPolicy: {operator: All, targetReplicatedJobs: [worker]}, replicatedJobs: [
    {name: leader, replicas: 1, template: $(job_template '[serve, "8080", hello]')},
    {name: worker, replicas: 2, template: $(job_template '[get, "http://talk-leader-0-0.talk:8080/"]')}]}}"
}
one_job() {
  apply "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: $1}, spec: {$3
    replicatedJobs: [{name: only, replicas: 1, template: $(job_template "$2")}]}}"
}
terminal_state() { field "$2" jobset "$1" '{.status.terminalState}'; }
said_hello() {
  said=$(kubectl logs job/talk-worker-1)
  echo "the worker printed '$said'"
  [ "$said" = hello ]
}
gone() { refuses NotFound kubectl get "$1" "$2"; }

step "the manifests install, and the controller is available" install_manifests
[ "$steps_failed" = 0 ] || exit 1

eventually "a leader and two workers are created" 60 talk
step "the webhook has filled in names of Pods" field true jobset talk '{.spec.network.enableDNSHostnames}'
eventually "its Jobs exist, with their names" 60 kubectl get job talk-leader-0 talk-worker-0 talk-worker-1
step "its headless Service exists" field None service talk '{.spec.clusterIP}'
eventually "the workers reach the leader by its name, and the JobSet is complete" 120 terminal_state talk Completed
step "what the worker printed is in its log" said_hello
eventually "the leader, still active, is deleted" 60 gone job talk-leader-0

step "a JobSet whose Job fails is created" one_job fails '[exit, "3"]' 'failurePolicy: {maxRestarts: 1},'
eventually "it is tried again once, and fails" 120 terminal_state fails Failed
step "its restarts are counted" field 1 jobset fails '{.status.restarts}'

step "a suspended JobSet is created" one_job waits '[sleep]' 'suspend: true,'
eventually "its Job is suspended" 60 field true job waits-only-0 '{.spec.suspend}'
step "it is resumed" kubectl patch jobset waits --type=merge -p '{"spec":{"suspend":false}}'
eventually "its Pod runs" 90 field 1 job waits-only-0 '{.status.ready}'
step "the webhook refuses a change of its Jobs" refuses 'field is immutable' \
  kubectl patch jobset waits --type=json -p '[{"op":"replace","path":"/spec/replicatedJobs/0/replicas","value":3}]'
step "the schema refuses an unknown policy" refuses 'Unsupported value' \
  one_job bad '[sleep]' 'successPolicy: {operator: Most},'

step "a JobSet with a time to live is created" one_job short '[exit, "0"]' 'ttlSecondsAfterFinished: 1,'
eventually "it is deleted after it has finished" 120 gone jobset short
eventually "and so is its Job" 60 gone job short-only-0

step "no container of the controller has restarted" sh -c \
  "! kubectl -n jobset-system get pods -o 'jsonpath={.items[*].status.containerStatuses[*].restartCount}' | grep '[1-9]'"
step "the JobSets are deleted" kubectl delete jobset --all --timeout=60s
eventually "their Jobs are gone" 60 sh -c '[ -z "$(kubectl get jobs -o name)" ]'
step "the manifests are removed" kubectl delete -k "$SOURCE/config/default" --ignore-not-found --timeout=120s
exit "$((steps_failed > 0))"
