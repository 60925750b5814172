#!/bin/bash
# The controller of LeaderWorkerSet (two replicas, one of which leads) on the cluster of $KUBECONFIG, installed with its own
# manifests ($SOURCE/config/default). Called by ../run.sh, which provides `kubectl` and the image.
set -u
# shellcheck source=test/clients/operators/steps.sh
. "${0%/*}/../steps.sh"
image=operators.test/tool:test
containers() {
  echo "containers: [{name: tool, image: $image, args: [serve, '8080', $1], env: [{name: VERSION, value: v1}],
    volumeMounts: [{name: data, mountPath: /data}]}]"
}

install_manifests() {
  kubectl apply --server-side -k "$SOURCE/config/default" &&
    kubectl -n lws-system rollout status deployment/lws-controller-manager --timeout=240s
}
apply() { printf '%s\n' "$1" | kubectl apply -f -; }
# group SIZE: a leader and workers, each with a volume.
group() {
  apply "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: group}, spec: {replicas: 1, leaderWorkerTemplate: {
    size: $1, restartPolicy: RecreateGroupOnPodRestart,
    leaderTemplate: {spec: {terminationGracePeriodSeconds: 1, $(containers leader)}},
    workerTemplate: {spec: {terminationGracePeriodSeconds: 1, $(containers worker)}},
    volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 16Mi}}}}]}}}"
}
available() { field True leaderworkerset "$1" '{.status.conditions[?(@.type=="Available")].status}'; }
ready() { field "$2" leaderworkerset "$1" '{.status.readyReplicas}'; }
pods() {
  found=$(kubectl get pods -l leaderworkerset.sigs.k8s.io/name=group --field-selector=status.phase=Running -o name | wc -l)
  echo "$found Pods, not $1"
  [ "$found" = "$1" ]
}
uid() { kubectl get pod "$1" -o 'jsonpath={.metadata.uid}'; }
is_another() {
  now=$(uid "$1") && [ -n "$now" ] && [ "$now" != "$2" ]
}
hello() {
  said=$(kubectl exec group-0-1 -- /program get http://group-0.group:8080/)
  echo "the leader said '$said'"
  [ "$said" = leader ]
}
environment() {
  kubectl get pod group-0-1 -o 'jsonpath={.spec.containers[0].env[?(@.name=="LWS_LEADER_ADDRESS")].value}' | grep -qx group-0.group.default
}
versions() {
  found=$(kubectl get pods -l leaderworkerset.sigs.k8s.io/name=group -o 'jsonpath={range .items[*]}{.spec.containers[0].env[?(@.name=="VERSION")].value}{"\n"}{end}')
  echo "$found"
  [ "$(echo "$found" | grep -c "^$1$")" = "$2" ]
}

step "the manifests install, and both replicas of the controller are available" install_manifests
[ "$steps_failed" = 0 ] || exit 1
step "one of them holds the lease" sh -c "kubectl -n lws-system get leases -o 'jsonpath={.items[*].spec.holderIdentity}' | grep -q lws-controller-manager"

eventually "a group of a leader and two workers is created" 60 group 3
eventually "it becomes Available" 180 available group
step "with three Pods" pods 3
step "whose volumes are bound" sh -c "[ \"\$(kubectl get pvc -o 'jsonpath={.items[*].status.phase}' | tr ' ' '\n' | grep -c Bound)\" = 3 ]"
step "the webhook has given workers the leader's address" environment
step "and a worker reaches the leader by its name" hello
step "the StatefulSet of the workers is owned by the leader" field Pod statefulset group-0 '{.metadata.ownerReferences[0].kind}'
before=$(uid group-0-2)
step "a worker is deleted" kubectl delete pod group-0-1 --timeout=60s
eventually "the whole group is made again" 120 is_another group-0-2 "$before"
eventually "and becomes Available" 180 available group

step "kubectl scale adds a group" kubectl scale leaderworkerset/group --replicas=2
eventually "both are ready" 180 ready group 2
step "its Pods are six" pods 6
step "the scale has its selector" sh -c "kubectl get leaderworkerset group --subresource=scale -o 'jsonpath={.status.selector}' | grep -q leaderworkerset.sigs.k8s.io/worker-index=0"
step "the template of the workers is changed" kubectl patch leaderworkerset group --type=json \
  -p '[{"op":"replace","path":"/spec/leaderWorkerTemplate/workerTemplate/spec/containers/0/env/0/value","value":"v2"}]'
eventually "the groups are replaced one after the other" 240 versions v2 4
eventually "and become Available" 180 available group
step "the webhook refuses a group without a leader" refuses 'size must be equal or greater than 1' group 0
step "the webhook refuses more Pods than there can be" refuses 'must not exceed' \
  kubectl patch leaderworkerset group --type=merge -p '{"spec":{"replicas":2000000000}}'

step "no container of the controller has restarted" sh -c \
  "! kubectl -n lws-system get pods -o 'jsonpath={.items[*].status.containerStatuses[*].restartCount}' | grep '[1-9]'"
step "the groups are deleted" kubectl delete leaderworkerset --all --timeout=60s
eventually "their Pods are gone" 60 pods 0
step "their volumes are deleted" kubectl delete pvc --all --timeout=60s
step "the manifests are removed" kubectl delete -k "$SOURCE/config/default" --ignore-not-found --timeout=120s
exit "$((steps_failed > 0))"
