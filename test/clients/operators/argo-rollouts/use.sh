#!/bin/bash
# The controller of Argo Rollouts on the cluster of $KUBECONFIG, installed with its own manifests.
# Called by ../run.sh, which provides $MANIFESTS (their folder), `kubectl` and the image under the manifest's name.
set -u
# shellcheck source=test/clients/operators/steps.sh
. "${0%/*}/../steps.sh"
image=k8ts.local/pause:1

install_manifests() {
  kubectl create namespace argo-rollouts &&
    # Server-side: the CustomResourceDefinitions do not fit into an annotation. The image is here already.
    sed 's/imagePullPolicy: Always/imagePullPolicy: IfNotPresent/' "$MANIFESTS/install.yaml" |
    kubectl apply --server-side -n argo-rollouts -f - &&
    kubectl -n argo-rollouts rollout status deployment/argo-rollouts --timeout=120s
}

apply() { printf '%s\n' "$1" | kubectl apply -f -; }

phase() { field "$2" rollout "$1" '{.status.phase}'; }
set_version() { kubectl patch rollout "$1" --type=json -p "[{\"op\":\"replace\",\"path\":\"/spec/template/spec/containers/0/env/0/value\",\"value\":\"$2\"}]"; }
# What `kubectl argo rollouts promote` and `abort` send.
promote() { kubectl patch rollout "$1" --subresource=status --type=merge -p '{"status":{"pauseConditions":null}}'; }
abort() { kubectl patch rollout "$1" --subresource=status --type=merge -p '{"status":{"abort":true}}'; }
retry() { kubectl patch rollout "$1" --subresource=status --type=merge -p '{"status":{"abort":false}}'; }

# pods ROLLOUT VERSION: how many of the Rollout's Pods are ready with that version.
pods() {
  kubectl get pods -l "app=$1" -o 'jsonpath={range .items[?(@.status.containerStatuses[0].ready==true)]}{.spec.containers[0].env[0].value}{"\n"}{end}' |
    grep -c "^$2$"
}
has_pods() {
  counted=$(pods "$1" "$2")
  echo "$counted ready Pods of $1 have version $2, not $3"
  [ "$counted" = "$3" ]
}
at_step() { field "$2" rollout "$1" '{.status.currentStepIndex}'; }
selects_version() {
  hash=$(kubectl get service "$1" -o "jsonpath={.spec.selector['rollouts-pod-template-hash']}")
  version=$(kubectl get replicaset -l "rollouts-pod-template-hash=$hash" -o 'jsonpath={.items[0].spec.template.spec.containers[0].env[0].value}')
  echo "Service $1 selects version '$version', not '$2'"
  [ "$version" = "$2" ]
}

rollout() {
  apply "{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: $1}, spec: {replicas: 4, selector: {matchLabels: {app: $1}},
    template: {metadata: {labels: {app: $1}}, spec: {terminationGracePeriodSeconds: 1,
    containers: [{name: web, image: $image, env: [{name: VERSION, value: v1}]}]}}, strategy: $2}}"
}

step "the manifests install, and the controller is available" install_manifests
# The rest needs it.
[ "$steps_failed" = 0 ] || exit 1

step "a canary Rollout is created" rollout canary '{canary: {steps: [{setWeight: 25}, {pause: {}}, {setWeight: 50}, {pause: {duration: 2s}}]}}'
eventually "it becomes Healthy" 90 phase canary Healthy
eventually "four Pods have the first version" 30 has_pods canary v1 4
step "its template is changed" set_version canary v2
eventually "it pauses at the first weight" 90 phase canary Paused
step "at the step that pauses" at_step canary 1
eventually "one Pod has the new version" 60 has_pods canary v2 1
step "and three have the old one" has_pods canary v1 3
step "it is promoted" promote canary
eventually "it becomes Healthy after the rest of the steps" 90 phase canary Healthy
eventually "all Pods have the new version" 60 has_pods canary v2 4
step "its template is changed again" set_version canary v3
eventually "it pauses again" 90 phase canary Paused
step "it is aborted" abort canary
eventually "it becomes Degraded" 90 phase canary Degraded
eventually "all Pods have the stable version" 60 has_pods canary v2 4
step "it is tried again" retry canary
eventually "it pauses once more" 90 phase canary Paused
step "its template is changed back" set_version canary v2
eventually "it becomes Healthy at once" 60 phase canary Healthy
step "kubectl scale sets its size" kubectl scale rollout canary --replicas=2
eventually "two Pods are left" 60 has_pods canary v2 2
step "the scale has its selector" sh -c "kubectl get rollout canary --subresource=scale -o 'jsonpath={.status.selector}' | grep -qx app=canary"

step "Services for blue and green are created" apply '{apiVersion: v1, kind: List, items: [
  {apiVersion: v1, kind: Service, metadata: {name: active}, spec: {selector: {app: bluegreen}, ports: [{port: 80}]}},
  {apiVersion: v1, kind: Service, metadata: {name: preview}, spec: {selector: {app: bluegreen}, ports: [{port: 80}]}}]}'
step "a blue-green Rollout is created" rollout bluegreen \
  '{blueGreen: {activeService: active, previewService: preview, autoPromotionEnabled: false, scaleDownDelaySeconds: 1}}'
eventually "it becomes Healthy" 90 phase bluegreen Healthy
eventually "its active Service selects the first version" 30 selects_version active v1
step "its template is changed" set_version bluegreen v2
eventually "it pauses" 90 phase bluegreen Paused
eventually "the preview Service selects the new version" 30 selects_version preview v2
step "the active Service still selects the old one" selects_version active v1
step "both have their Pods" has_pods bluegreen v1 4
step "it is promoted" promote bluegreen
eventually "the active Service selects the new version" 60 selects_version active v2
eventually "it becomes Healthy" 60 phase bluegreen Healthy
eventually "the old version is scaled down" 90 has_pods bluegreen v1 0
step "the schema refuses a Rollout without its required fields" refuses 'spec.strategy' \
  apply '{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: bad}, spec: {strategy: 5}}'
step "an invalid Rollout is created" rollout invalid '{canary: {steps: [{setWeight: 200}]}}'
eventually "the controller reports it as Degraded" 60 phase invalid Degraded

step "no container of the controller has restarted" sh -c \
  "! kubectl -n argo-rollouts get pods -o 'jsonpath={.items[*].status.containerStatuses[*].restartCount}' | grep '[1-9]'"
step "the Rollouts are deleted" kubectl delete rollout --all --timeout=60s
step "the manifests are removed" kubectl delete -n argo-rollouts -f "$MANIFESTS/install.yaml" --timeout=90s
step "the namespace is removed" kubectl delete namespace argo-rollouts --timeout=90s
exit "$((steps_failed > 0))"
