#!/bin/bash
# The Vertical Pod Autoscaler on the cluster of $KUBECONFIG, installed with its own manifests ($SOURCE/deploy) and script for
# certificates. It reads metrics.k8s.io, which the cluster serves itself.
# Called by ../run.sh, which provides `kubectl` and the images.
set -u
# shellcheck source=test/clients/operators/steps.sh
. "${0%/*}/../steps.sh"
image=operators.test/tool:test

install_manifests() {
  bash "$SOURCE/pkg/admission-controller/gencerts.sh" &&
    kubectl apply --server-side -k "$SOURCE/deploy" &&
    for program in recommender updater admission-controller; do
      kubectl -n kube-system rollout status "deployment/vpa-$program" --timeout=180s || return 1
    done
}
apply() { printf '%s\n' "$1" | kubectl apply -f -; }
burning() {
  apply "{apiVersion: apps/v1, kind: Deployment, metadata: {name: burn}, spec: {replicas: 2, selector: {matchLabels: {app: burn}},
    template: {metadata: {labels: {app: burn}}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: tool, image: $image,
    args: [burn, '10'], resources: {requests: {cpu: 1m, memory: 10Mi}}}]}}}}"
}
# autoscaler MODE: the least recommendation is far above what the Pods ask for, so that it does not depend on the machine.
autoscaler() {
  apply "{apiVersion: autoscaling.k8s.io/v1, kind: VerticalPodAutoscaler, metadata: {name: burn}, spec: {
    targetRef: {apiVersion: apps/v1, kind: Deployment, name: burn}, updatePolicy: {updateMode: $1},
    resourcePolicy: {containerPolicies: [{containerName: '*', minAllowed: {cpu: 50m, memory: 64Mi}, maxAllowed: {cpu: 100m, memory: 128Mi}}]}}}"
}
recommended() { [ -n "$(kubectl get vpa burn -o 'jsonpath={.status.recommendation.containerRecommendations[0].target.cpu}')" ]; }
pods_with() {
  found=$(kubectl get pods -l app=burn -o "jsonpath={range .items[?(@.status.phase==\"Running\")]}{$1}{\"\\n\"}{end}")
  echo "of the Pods: $found"
  ! echo "$found" | grep -q "^$2\$" && [ "$(echo "$found" | grep -c .)" = 2 ]
}
names() { kubectl get pods -l app=burn -o 'jsonpath={.items[*].metadata.name}'; }
same_names() {
  now=$(names)
  echo "the Pods are $now, not $1"
  [ "$now" = "$1" ]
}

step "the manifests install, and the three parts are available" install_manifests
[ "$steps_failed" = 0 ] || exit 1
eventually "the webhook is registered" 90 kubectl get mutatingwebhookconfiguration vpa-webhook-config

step "two Pods are created that ask for little" burning
eventually "metrics.k8s.io has both" 120 sh -c '[ "$(kubectl top pods -l app=burn --no-headers | grep -c burn)" = 2 ]'
step "an autoscaler in mode Off is created" autoscaler '"Off"'
eventually "it recommends what they need" 240 recommended
step "its condition is true" field True vpa burn '{.status.conditions[?(@.type=="RecommendationProvided")].status}'
step "printer columns show it" sh -c "kubectl get vpa burn | grep -q 'Off .*m .*True'"
step "the Pods are as they were" field 1m pod "$(names | cut -d' ' -f1)" '{.spec.containers[0].resources.requests.cpu}'

step "it is in mode Initial" autoscaler Initial
step "the Pods are made again" kubectl rollout restart deployment/burn
eventually "the webhook has given them more" 120 pods_with .spec.containers[0].resources.requests.cpu 1m
step "and says so" sh -c "kubectl get pods -l app=burn -o yaml | grep -q 'vpaUpdates: .Pod resources updated by burn'"

step "it is in mode Off again" autoscaler '"Off"'
step "the Pods are made again" kubectl rollout restart deployment/burn
step "and are there" kubectl rollout status deployment/burn --timeout=120s
before=$(names)
step "it is in mode InPlaceOrRecreate" autoscaler InPlaceOrRecreate
eventually "the kubelet has resized running containers" 240 \
  pods_with .status.containerStatuses[0].resources.requests.cpu 1m
step "in the same Pods" same_names "$before"
step "no container was restarted" sh -c \
  "! kubectl get pods -l app=burn -o 'jsonpath={.items[*].status.containerStatuses[*].restartCount}' | grep '[1-9]'"

step "a malformed autoscaler is refused" refuses 'max resource for cpu is lower than min' \
  apply '{apiVersion: autoscaling.k8s.io/v1, kind: VerticalPodAutoscaler, metadata: {name: bad}, spec: {targetRef: {apiVersion: apps/v1,
  kind: Deployment, name: burn}, resourcePolicy: {containerPolicies: [{containerName: a, minAllowed: {cpu: 2}, maxAllowed: {cpu: 1}}]}}}'
step "no container of its parts has restarted" sh -c "! kubectl -n kube-system get pods -o \
  'jsonpath={range .items[*]}{.metadata.name} {.status.containerStatuses[0].restartCount}{\"\\n\"}{end}' | grep 'vpa-.* [1-9]'"
step "autoscaler and Pods are deleted" kubectl delete vpa/burn deployment/burn --timeout=60s
step "the webhook is removed" kubectl delete mutatingwebhookconfiguration vpa-webhook-config
step "the manifests are removed" kubectl delete -k "$SOURCE/deploy" --timeout=120s
step "its certificates are removed" kubectl -n kube-system delete secret vpa-tls-certs
exit "$((steps_failed > 0))"
