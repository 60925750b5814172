#!/bin/bash
# batteries.sh [PART...]: starts a cluster of upstream's components (the reference cluster: a control plane, two nodes), runs ours beside
# them as single components, one after the other, and uses each: network-policy, cluster-dns, metrics-server, gateway, local-storage.
# Needs root, the conformance kit and the reference cluster in $KIT, built; only one such cluster runs at a time. Everything is
# removed afterwards. KEEP=1 leaves it running until a key is pressed.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=/dev/null
. "${KIT:-$root/../shared}/reference-cluster/env.sh"
reference=$here
# shellcheck source=test/clients/operators/steps.sh
. "$root/test/clients/operators/steps.sh"
k8ts=$root/k8ts manifests=$root/src/cluster/parts/manifests
agnhost=$("$kit/images" list | grep /agnhost: | head -n 1)
export KUBECONFIG=$state/admin.kubeconfig PATH=$bin:$PATH
programs=()

clean_up() {
  [ -z "${KEEP:-}" ] || read -rp "kept: $KUBECONFIG; press Enter" || true
  [ ${#programs[@]} = 0 ] || kill "${programs[@]}" 2>/dev/null || true
  wait "${programs[@]}" 2>/dev/null || true
  for node in "${nodes[@]}"; do
    [ ! -d "$state/$node/volumes" ] ||
      "$state/$node/enter" "$k8ts" local-storage --cleanup --root-dir="$state/$node/volumes" 2>/dev/null || true
  done
  "$reference/down" --wipe
}
apply() { printf '%s\n' "$1" | kubectl apply -f -; }
# start NAME COMMAND...: in the background; its log is $state/log/k8ts-NAME.
start() {
  "${@:2}" >"$state/log/k8ts-$1" 2>&1 </dev/null &
  programs+=($!)
}
on_nodes() { # NAME FLAG...: on each node, with the node's own credentials
  for node in "${nodes[@]}"; do
    start "$node-$1" "$state/$node/enter" "$k8ts" "$1" --kubeconfig="$state/$node.kubeconfig" --node-name="$node" "${@:2}"
  done
}
in_control_plane() { start "$1" nsenter --net=/run/netns/kref-cp "$k8ts" "$@"; }
# user NAME COMMON-NAME [SUBJECT]: a certificate, for a server of that alternative name too, and a kubeconfig.
user() {
  openssl req -newkey rsa:2048 -nodes -subj "/CN=$2" -keyout "$state/pki/$1.key" -out "$state/pki/$1.csr" 2>/dev/null
  openssl x509 -req -in "$state/pki/$1.csr" -CA "$state/pki/ca.crt" -CAkey "$state/pki/ca.key" -CAcreateserial -days 1 -out "$state/pki/$1.crt" \
    -extfile <(printf 'keyUsage=digitalSignature,keyEncipherment\nextendedKeyUsage=serverAuth,clientAuth\n%s' "${3:+subjectAltName=$3}") 2>/dev/null
  cp "$KUBECONFIG" "$state/$1.kubeconfig"
  kubectl --kubeconfig="$state/$1.kubeconfig" config set-credentials u --embed-certs \
    --client-certificate="$state/pki/$1.crt" --client-key="$state/pki/$1.key" >/dev/null
}
in_client() { kubectl exec client -- "$@"; }
ip_of() { kubectl get pod "$1" -o 'jsonpath={.status.podIP}'; }
reaches() { in_client /agnhost connect --timeout=2s "$1"; }
is_denied() { if reaches "$1"; then return 1; fi; }

use_network_policy() {
  kubectl apply -f "$manifests/network-policy.yaml" >/dev/null
  on_nodes network-policy
  web=$(ip_of web):8080
  eventually "a Pod of another node connects" 60 reaches "$web"
  step "a policy that allows nobody" apply "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: web},
    spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress]}}"
  eventually "is in force" 60 is_denied "$web"
  eventually "and named by an event" 60 sh -c 'kubectl get events | grep NetworkPolicyDenied'
  step "one that allows the client by its label" apply "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: client},
    spec: {podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {app: client}}}], ports: [{port: 8080}]}]}}"
  eventually "is in force, too" 60 reaches "$web"
  step "they are deleted" kubectl delete networkpolicy web client
  eventually "and leave no rules" 60 sh -c "! $state/${nodes[0]}/enter nft list tables | grep k8ts"
}

resolves() { in_client dig +short +time=2 +tries=1 "$1" | grep -E "$2"; }
use_cluster_dns() {
  step "CoreDNS and its Service are deleted" kubectl -n kube-system delete deployment/coredns service/kube-dns --ignore-not-found --timeout=60s
  kubectl apply -f "$manifests/cluster-dns.yaml" >/dev/null
  on_nodes cluster-dns
  in_control_plane cluster-dns --mode=service --kubeconfig="$KUBECONFIG" --cluster-ip="$dns_ip"
  eventually "Services are found by name" 60 resolves web.default.svc.cluster.local '^10\.96\.'
  eventually "by their short name" 30 reaches web:80
  eventually "Pods of a headless Service" 30 resolves web.web-pods.default.svc.cluster.local '^10\.98\.'
  eventually "addresses have names" 30 sh -c "kubectl exec client -- dig +short -x $(kubectl get service web -o 'jsonpath={.spec.clusterIP}') | grep ^web.default.svc"
}

use_metrics_server() {
  kubectl apply -f "$manifests/metrics-server.yaml" >/dev/null
  user metrics system:metrics-server DNS:metrics-server.kube-system.svc
  access=$state/metrics.kubeconfig
  in_control_plane metrics-server --kubeconfig="$access" --authentication-kubeconfig="$access" --authorization-kubeconfig="$access" \
    --bind-address="$cp_ip" --secure-port=10261 --tls-cert-file="$state/pki/metrics.crt" --tls-private-key-file="$state/pki/metrics.key" \
    --kubelet-insecure-tls --kubelet-preferred-address-types=InternalIP --metric-resolution=15s \
    --publish-address="$cp_ip" --publish-ca-file="$state/pki/ca.crt"
  eventually "its API is available" 90 kubectl wait --for=condition=Available apiservice/v1beta1.metrics.k8s.io --timeout=1s
  eventually "top shows both nodes" 60 sh -c "[ \$(kubectl top nodes --no-headers | grep -c '[0-9]m ') = 2 ]"
  eventually "and the Pods" 60 sh -c "kubectl top pods | grep '^web '"
  step "an autoscaler" kubectl autoscale deployment busy --cpu=50% --min=1 --max=2
  eventually "knows the usage, and adds a Pod" 120 field 2 deployment busy '{.spec.replicas}'
}

use_gateway() {
  kubectl apply -f "$manifests/gateway.yaml" >/dev/null
  user gateway system:k8ts-gateway
  in_control_plane gateway --kubeconfig="$state/gateway.kubeconfig" --bind-address="$cp_ip" --publish-address="$cp_ip"
  step "an Ingress" apply "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web}, spec: {rules: [{host: web.test, http: {paths: [
    {path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]}}"
  address=$(kubectl -n k8ts-gateway get service gateway -o 'jsonpath={.spec.clusterIP}')
  eventually "leads to its Service" 60 in_client curl -fsS -m 3 -H 'Host: web.test' "http://$address/hostname"
  step "a host without a route is not found" sh -c "kubectl exec client -- curl -s -o /dev/null -w '%{http_code}' -m 3 \
    -H 'Host: other.test' http://$address/ | grep 404"
}

claim() {
  apply "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: $1}, spec: {accessModes: [ReadWriteOnce],
    resources: {requests: {storage: $2}}${3:-}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: $1}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: main, image: '$agnhost',
  volumeMounts: [{name: data, mountPath: /data}]}], volumes: [{name: data, persistentVolumeClaim: {claimName: $1}}]}}"
}
is_unmounted() {
  for node in "${nodes[@]}"; do
    if "$state/$node/enter" findmnt -rn | grep /csi/local.csi.k8ts.dev; then return 1; fi
  done
}
grown_or_refused() {
  field 128Mi pvc data '{.status.capacity.storage}' || kubectl wait --for=condition=NodeResizeError pvc/data --timeout=1s
}
use_local_storage() {
  kubectl apply -f "$manifests/local-storage.yaml" >/dev/null
  for node in "${nodes[@]}"; do
    start "$node-local-storage" "$state/$node/enter" "$k8ts" local-storage --kubeconfig="$state/$node.kubeconfig" \
      --node-name="$node" --root-dir="$state/$node/volumes"
  done
  in_control_plane local-storage --mode=controllers --kubeconfig="$KUBECONFIG"
  eventually "both nodes have the driver" 60 sh -c "[ \$(kubectl get csinodes -o jsonpath='{.items[*].spec.drivers[*].name}' | wc -w) = 2 ]"
  step "a claim and its Pod" claim data 64Mi
  eventually "it starts" 90 kubectl wait --for=condition=Ready pod/data --timeout=1s
  step "it writes" kubectl exec data -- sh -c 'echo hello >/data/file; sync'
  step "not more than the size of the claim" sh -c "! kubectl exec data -- dd if=/dev/zero of=/data/big bs=1M count=100"
  step "the claim grows" kubectl patch pvc data -p '{"spec":{"resources":{"requests":{"storage":"128Mi"}}}}'
  # Without CAP_SYS_RESOURCE, a mounted ext4 does not grow.
  eventually "which the kubelet has tried" 90 grown_or_refused
  step "its Pod is deleted" kubectl delete pod data --timeout=60s
  eventually "the volume is unmounted" 60 is_unmounted
  step "and created again" claim data 128Mi
  eventually "the claim has its new size" 90 field 128Mi pvc data '{.status.capacity.storage}'
  step "a snapshot" apply "{apiVersion: snapshot.storage.k8s.io/v1, kind: VolumeSnapshot, metadata: {name: data}, spec: {source: {persistentVolumeClaimName: data}}}"
  eventually "is ready" 90 field true volumesnapshot data '{.status.readyToUse}'
  step "a claim from it" claim copy 128Mi ", dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: data}"
  eventually "has the content" 90 sh -c "kubectl exec copy -- cat /data/file | grep hello"
  step "all are deleted" kubectl delete pod/data pod/copy pvc/data pvc/copy volumesnapshot/data --timeout=90s
  eventually "with their volumes" 60 sh -c "[ -z \"\$(kubectl get pv -o name)\" ]"
}

"$reference/up"
trap clean_up EXIT
pod() { # NAME NODE COMMAND
  apply "{apiVersion: v1, kind: Pod, metadata: {name: $1, labels: {app: $1}}, spec: {nodeName: $2, hostname: $1, subdomain: web-pods,
    terminationGracePeriodSeconds: 1, containers: [{name: main, image: '$agnhost', args: $3}]}}"
}
step "a server on one node" pod web "${nodes[0]}" '[netexec, --http-port=8080]'
step "a client on the other" pod client "${nodes[1]}" '[pause]'
step "Services of the server" apply "{apiVersion: v1, kind: List, items: [
  {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}},
  {apiVersion: v1, kind: Service, metadata: {name: web-pods}, spec: {clusterIP: None, selector: {app: web}, ports: [{port: 8080}]}},
  {apiVersion: apps/v1, kind: Deployment, metadata: {name: busy}, spec: {selector: {matchLabels: {app: busy}}, template: {metadata: {labels: {app: busy}},
  spec: {terminationGracePeriodSeconds: 1, containers: [{name: main, image: '$agnhost', command: [sh, -c, 'while :; do :; done'],
  resources: {requests: {cpu: 10m}, limits: {cpu: 50m}}}]}}}}]}"
step "all are ready" kubectl wait --for=condition=Ready pod/web pod/client --timeout=120s
parts=$*
for part in ${parts:-network-policy cluster-dns metrics-server gateway local-storage}; do
  echo "== $part"
  "use_${part//-/_}"
done
exit "$((steps_failed > 0))"
