/** Upstream: cmd/kube-controller-manager/app/options. */
import type { FlagSet } from "#/std/flags/flags.ts";

/** The flags of single controllers. */
export const controllerFlags = {
  "attach-detach-reconcile-sync-period": {
    type: "duration",
    default: 60_000,
    help: "How often what is attached is compared with what should be.",
  },
  "disable-attach-detach-reconcile-sync": {
    type: "bool",
    help: "Never compare what is attached with what should be.",
  },
  "disable-force-detach-on-timeout": {
    type: "bool",
    help: "Never detach a volume that a node has not let go of in time.",
  },
  "cluster-signing-cert-file": {
    type: "string",
    help: "The `file` with the certificate of the authority that signs for every signer.",
  },
  "cluster-signing-duration": {
    type: "duration",
    default: 31_536_000_000,
    help: "The longest time that a signed certificate is good for.",
  },
  "cluster-signing-key-file": {
    type: "string",
    help: "The `file` with the key of that authority.",
  },
  "cluster-signing-kube-apiserver-client-cert-file": {
    type: "string",
    help: "The `file` with the certificate of the authority of the signer kubernetes.io/kube-apiserver-client.",
  },
  "cluster-signing-kube-apiserver-client-key-file": {
    type: "string",
    help: "The `file` with the key of the authority of the signer kubernetes.io/kube-apiserver-client.",
  },
  "cluster-signing-kubelet-client-cert-file": {
    type: "string",
    help: "The `file` with the certificate of the authority of the signer kubernetes.io/kube-apiserver-client-kubelet.",
  },
  "cluster-signing-kubelet-client-key-file": {
    type: "string",
    help: "The `file` with the key of the authority of the signer kubernetes.io/kube-apiserver-client-kubelet.",
  },
  "cluster-signing-kubelet-serving-cert-file": {
    type: "string",
    help: "The `file` with the certificate of the authority of the signer kubernetes.io/kubelet-serving.",
  },
  "cluster-signing-kubelet-serving-key-file": {
    type: "string",
    help: "The `file` with the key of the authority of the signer kubernetes.io/kubelet-serving.",
  },
  "cluster-signing-legacy-unknown-cert-file": {
    type: "string",
    help: "The `file` with the certificate of the authority of the signer kubernetes.io/legacy-unknown.",
  },
  "cluster-signing-legacy-unknown-key-file": {
    type: "string",
    help: "The `file` with the key of the authority of the signer kubernetes.io/legacy-unknown.",
  },
  "concurrent-deployment-syncs": { type: "int", default: 5, help: "How many are synced at once." },
  "concurrent-disruption-syncs": { type: "int", default: 1, help: "How many are synced at once." },
  "concurrent-device-taint-eviction-syncs": {
    type: "int",
    default: 8,
    help: "How many are synced at once.",
  },
  "concurrent-resourceclaim-syncs": {
    type: "int",
    default: 50,
    help: "How many are synced at once.",
  },
  "concurrent-statefulset-syncs": { type: "int", default: 5, help: "How many are synced at once." },
  "concurrent-daemonset-syncs": { type: "int", default: 2, help: "How many are synced at once." },
  "concurrent-endpoint-syncs": { type: "int", default: 5, help: "How many are synced at once." },
  "endpoint-updates-batch-period": {
    type: "duration",
    help: "How long changes of endpoints are gathered before they are written.",
  },
  "concurrent-service-endpoint-syncs": {
    type: "int",
    default: 5,
    help: "How many services have their endpoint slices synced at once.",
  },
  "endpointslice-updates-batch-period": {
    type: "duration",
    help: "How long changes of endpoint slices are gathered before they are written.",
  },
  "max-endpoints-per-slice": {
    type: "int",
    default: 100,
    help: "The most endpoints that one slice holds.",
  },
  "mirroring-concurrent-service-endpoint-syncs": {
    type: "int",
    default: 5,
    help: "How many services are mirrored at once.",
  },
  "mirroring-endpointslice-updates-batch-period": {
    type: "duration",
    help: "How long changes of mirrored slices are gathered before they are written.",
  },
  "mirroring-max-endpoints-per-subset": {
    type: "int",
    default: 1000,
    help: "The most endpoints of a subset that are mirrored.",
  },
  "concurrent-ephemeralvolume-syncs": {
    type: "int",
    default: 5,
    help: "How many are synced at once.",
  },
  "concurrent-gc-syncs": { type: "int", default: 20, help: "How many are synced at once." },
  "enable-garbage-collector": {
    type: "bool",
    default: true,
    help: "Delete objects whose owners are gone.",
  },
  "concurrent-horizontal-pod-autoscaler-syncs": {
    type: "int",
    default: 5,
    help: "How many are synced at once.",
  },
  "horizontal-pod-autoscaler-cpu-initialization-period": {
    type: "duration",
    default: 300_000,
    help: "After a pod has started, CPU samples may be left out for so long.",
  },
  "horizontal-pod-autoscaler-downscale-stabilization": {
    type: "duration",
    default: 300_000,
    help: "Scaling down looks back at recommendations of so long a time.",
  },
  "horizontal-pod-autoscaler-initial-readiness-delay": {
    type: "duration",
    default: 30_000,
    help: "After a pod has started, a change of readiness counts as its first for so long.",
  },
  "horizontal-pod-autoscaler-sync-period": {
    type: "duration",
    default: 15_000,
    help: "How often the number of pods is looked at.",
  },
  "horizontal-pod-autoscaler-tolerance": {
    type: "float",
    default: 0.1,
    help: "The least change of the ratio that leads to scaling.",
  },
  "concurrent-job-syncs": { type: "int", default: 5, help: "How many are synced at once." },
  "concurrent-cron-job-syncs": { type: "int", default: 5, help: "How many are synced at once." },
  "legacy-service-account-token-clean-up-period": {
    type: "duration",
    default: 31_536_000_000,
    help: "A token secret that was not used for so long is removed.",
  },
  "concurrent-namespace-syncs": { type: "int", default: 10, help: "How many are synced at once." },
  "namespace-sync-period": {
    type: "duration",
    default: 300_000,
    help: "How often namespaces are looked at.",
  },
  "node-cidr-mask-size": { type: "int", help: "Size of a node's range of pod addresses." },
  "node-cidr-mask-size-ipv4": {
    type: "int",
    help: "Size of a node's IPv4 range; with both families only.",
  },
  "node-cidr-mask-size-ipv6": {
    type: "int",
    help: "Size of a node's IPv6 range; with both families only.",
  },
  "service-cluster-ip-range": {
    type: "string",
    help: "The range of service addresses, which no pod gets.",
  },
  "large-cluster-size-threshold": {
    type: "int",
    default: 50,
    help: "A zone with more nodes counts as large.",
  },
  "node-eviction-rate": {
    type: "float",
    default: 0.1,
    help: "Nodes per second whose pods are removed while their zone is healthy.",
  },
  "node-monitor-grace-period": {
    type: "duration",
    default: 50_000,
    help: "A node that has been silent for so long is unhealthy.",
  },
  "node-monitor-period": {
    type: "duration",
    default: 5_000,
    help: "How often the status of nodes is looked at.",
  },
  "node-startup-grace-period": {
    type: "duration",
    default: 60_000,
    help: "A node that starts may be silent for so long.",
  },
  "secondary-node-eviction-rate": {
    type: "float",
    default: 0.01,
    help: "Nodes per second whose pods are removed while their zone is not healthy.",
  },
  "unhealthy-zone-threshold": {
    type: "float",
    default: 0.55,
    help: "The part of a zone's nodes, three at least, that makes it unhealthy.",
  },
  "enable-dynamic-provisioning": {
    type: "bool",
    default: true,
    help: "Make volumes for claims where a provisioner can.",
  },
  "enable-hostpath-provisioner": {
    type: "bool",
    help: "Make volumes of folders of the host; for tests on one node.",
  },
  "flex-volume-plugin-dir": {
    type: "string",
    default: "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
    help: "The `folder` of FlexVolume plugins.",
  },
  "pv-recycler-increment-timeout-nfs": {
    type: "int",
    default: 30,
    help: "Of the pods that scrub recycled volumes.",
  },
  "pv-recycler-minimum-timeout-hostpath": {
    type: "int",
    default: 60,
    help: "Of the pods that scrub recycled volumes.",
  },
  "pv-recycler-minimum-timeout-nfs": {
    type: "int",
    default: 300,
    help: "Of the pods that scrub recycled volumes.",
  },
  "pv-recycler-pod-template-filepath-hostpath": {
    type: "string",
    help: "Of the pods that scrub recycled volumes.",
  },
  "pv-recycler-pod-template-filepath-nfs": {
    type: "string",
    help: "Of the pods that scrub recycled volumes.",
  },
  "pv-recycler-timeout-increment-hostpath": {
    type: "int",
    default: 30,
    help: "Of the pods that scrub recycled volumes.",
  },
  "pvclaimbinder-sync-period": {
    type: "duration",
    default: 15_000,
    help: "How often volumes and claims are looked at.",
  },
  "terminated-pod-gc-threshold": {
    type: "int",
    default: 12500,
    help: "More pods than this that have ended are removed, the oldest first; 0 for never.",
  },
  "concurrent-replicaset-syncs": { type: "int", default: 5, help: "How many are synced at once." },
  "concurrent-rc-syncs": { type: "int", default: 5, help: "How many are synced at once." },
  "concurrent-resource-quota-syncs": {
    type: "int",
    default: 5,
    help: "How many are synced at once.",
  },
  "resource-quota-sync-period": {
    type: "duration",
    default: 300_000,
    help: "How often the use of quotas is counted anew.",
  },
  "concurrent-serviceaccount-token-syncs": {
    type: "int",
    default: 5,
    help: "How many are synced at once.",
  },
  "root-ca-file": {
    type: "string",
    help: "The `file` with the authority that is handed out with service account tokens.",
  },
  "service-account-private-key-file": {
    type: "string",
    help: "The `file` with the key that signs legacy tokens.",
  },
  "concurrent-ttl-after-finished-syncs": {
    type: "int",
    default: 5,
    help: "How many are synced at once.",
  },
  "concurrent-validating-admission-policy-status-syncs": {
    type: "int",
    default: 5,
    help: "How many are synced at once.",
  },
} satisfies FlagSet;
