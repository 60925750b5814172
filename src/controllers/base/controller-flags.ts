/** Upstream: cmd/kube-controller-manager/app/options. */
import type { FlagSet } from "#/std/flags/flags.ts";

/** The flags of single controllers. */
export const controllerFlags = {
  "attach-detach-reconcile-sync-period": {
    type: "duration",
    default: 60_000,
    help: "The interval of comparisons of attached volumes with the desired ones.",
  },
  "disable-attach-detach-reconcile-sync": {
    type: "bool",
    help: "Never compare attached volumes with the desired ones.",
  },
  "disable-force-detach-on-timeout": {
    type: "bool",
    help: "Never detach a volume by force after the timeout.",
  },
  "cluster-signing-cert-file": {
    type: "string",
    help: "The `file` with the certificate of the authority that signs for every signer.",
  },
  "cluster-signing-duration": {
    type: "duration",
    default: 31_536_000_000,
    help: "Limit of the lifetime of signed certificates.",
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
  "concurrent-deployment-syncs": { type: "int", default: 5, help: "Limit of parallel syncs." },
  "concurrent-disruption-syncs": { type: "int", default: 1, help: "Limit of parallel syncs." },
  "concurrent-device-taint-eviction-syncs": {
    type: "int",
    default: 8,
    help: "Limit of parallel syncs.",
  },
  "concurrent-resourceclaim-syncs": {
    type: "int",
    default: 50,
    help: "Limit of parallel syncs.",
  },
  "concurrent-statefulset-syncs": { type: "int", default: 5, help: "Limit of parallel syncs." },
  "concurrent-daemonset-syncs": { type: "int", default: 2, help: "Limit of parallel syncs." },
  "concurrent-endpoint-syncs": { type: "int", default: 5, help: "Limit of parallel syncs." },
  "endpoint-updates-batch-period": {
    type: "duration",
    help: "How long changes of endpoints are collected before they are written.",
  },
  "concurrent-service-endpoint-syncs": {
    type: "int",
    default: 5,
    help: "Limit of services whose endpoint slices are synced in parallel.",
  },
  "endpointslice-updates-batch-period": {
    type: "duration",
    help: "How long changes of endpoint slices are collected before they are written.",
  },
  "max-endpoints-per-slice": {
    type: "int",
    default: 100,
    help: "Limit of endpoints in one slice.",
  },
  "mirroring-concurrent-service-endpoint-syncs": {
    type: "int",
    default: 5,
    help: "Limit of services mirrored in parallel.",
  },
  "mirroring-endpointslice-updates-batch-period": {
    type: "duration",
    help: "How long changes of mirrored slices are collected before they are written.",
  },
  "mirroring-max-endpoints-per-subset": {
    type: "int",
    default: 1000,
    help: "Limit of mirrored endpoints of a subset.",
  },
  "concurrent-ephemeralvolume-syncs": {
    type: "int",
    default: 5,
    help: "Limit of parallel syncs.",
  },
  "concurrent-gc-syncs": { type: "int", default: 20, help: "Limit of parallel syncs." },
  "enable-garbage-collector": {
    type: "bool",
    default: true,
    help: "Delete objects whose owners do not exist.",
  },
  "concurrent-horizontal-pod-autoscaler-syncs": {
    type: "int",
    default: 5,
    help: "Limit of parallel syncs.",
  },
  "horizontal-pod-autoscaler-cpu-initialization-period": {
    type: "duration",
    default: 300_000,
    help: "Time after a pod's start in which CPU samples may be skipped.",
  },
  "horizontal-pod-autoscaler-downscale-stabilization": {
    type: "duration",
    default: 300_000,
    help: "Time window of the recommendations considered for scaling down.",
  },
  "horizontal-pod-autoscaler-initial-readiness-delay": {
    type: "duration",
    default: 30_000,
    help: "Time after a pod's start in which a change of readiness counts as its first.",
  },
  "horizontal-pod-autoscaler-sync-period": {
    type: "duration",
    default: 15_000,
    help: "The interval of checks of the number of pods.",
  },
  "horizontal-pod-autoscaler-tolerance": {
    type: "float",
    default: 0.1,
    help: "The least change of the ratio that leads to scaling.",
  },
  "concurrent-job-syncs": { type: "int", default: 5, help: "Limit of parallel syncs." },
  "concurrent-cron-job-syncs": { type: "int", default: 5, help: "Limit of parallel syncs." },
  "legacy-service-account-token-clean-up-period": {
    type: "duration",
    default: 31_536_000_000,
    help: "Unused time after which a token secret is removed.",
  },
  "concurrent-namespace-syncs": { type: "int", default: 10, help: "Limit of parallel syncs." },
  "namespace-sync-period": {
    type: "duration",
    default: 300_000,
    help: "The interval of checks of namespaces.",
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
    help: "Time without a heartbeat after which a node is unhealthy.",
  },
  "node-monitor-period": {
    type: "duration",
    default: 5_000,
    help: "The interval of checks of node status.",
  },
  "node-startup-grace-period": {
    type: "duration",
    default: 60_000,
    help: "Time in which a starting node may be without a heartbeat.",
  },
  "secondary-node-eviction-rate": {
    type: "float",
    default: 0.01,
    help: "Nodes per second whose pods are removed while their zone is not healthy.",
  },
  "unhealthy-zone-threshold": {
    type: "float",
    default: 0.55,
    help: "The share of unhealthy nodes, at least three, that makes a zone unhealthy.",
  },
  "enable-dynamic-provisioning": {
    type: "bool",
    default: true,
    help: "Provision volumes for claims.",
  },
  "enable-hostpath-provisioner": {
    type: "bool",
    help: "Provision volumes from folders of the host; for tests on one node.",
  },
  "flex-volume-plugin-dir": {
    type: "string",
    default: "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
    help: "The `folder` of FlexVolume plugins.",
  },
  "pv-recycler-increment-timeout-nfs": {
    type: "int",
    default: 30,
    help: "Seconds added per GiB to the timeout of recycler pods of NFS volumes.",
  },
  "pv-recycler-minimum-timeout-hostpath": {
    type: "int",
    default: 60,
    help: "The least timeout of recycler pods of host path volumes, in seconds.",
  },
  "pv-recycler-minimum-timeout-nfs": {
    type: "int",
    default: 300,
    help: "The least timeout of recycler pods of NFS volumes, in seconds.",
  },
  "pv-recycler-pod-template-filepath-hostpath": {
    type: "string",
    help: "The `file` of the recycler pod template of host path volumes.",
  },
  "pv-recycler-pod-template-filepath-nfs": {
    type: "string",
    help: "The `file` of the recycler pod template of NFS volumes.",
  },
  "pv-recycler-timeout-increment-hostpath": {
    type: "int",
    default: 30,
    help: "Seconds added per GiB to the timeout of recycler pods of host path volumes.",
  },
  "pvclaimbinder-sync-period": {
    type: "duration",
    default: 15_000,
    help: "The interval of checks of volumes and claims.",
  },
  "terminated-pod-gc-threshold": {
    type: "int",
    default: 12500,
    help: "Limit of ended pods; more are deleted, the oldest first; 0 for no limit.",
  },
  "concurrent-replicaset-syncs": { type: "int", default: 5, help: "Limit of parallel syncs." },
  "concurrent-rc-syncs": { type: "int", default: 5, help: "Limit of parallel syncs." },
  "concurrent-resource-quota-syncs": {
    type: "int",
    default: 5,
    help: "Limit of parallel syncs.",
  },
  "resource-quota-sync-period": {
    type: "duration",
    default: 300_000,
    help: "The interval of full recounts of quota usage.",
  },
  "concurrent-serviceaccount-token-syncs": {
    type: "int",
    default: 5,
    help: "Limit of parallel syncs.",
  },
  "root-ca-file": {
    type: "string",
    help: "The `file` of the CA that is included in service account tokens.",
  },
  "service-account-private-key-file": {
    type: "string",
    help: "The `file` with the key that signs legacy tokens.",
  },
  "concurrent-ttl-after-finished-syncs": {
    type: "int",
    default: 5,
    help: "Limit of parallel syncs.",
  },
  "concurrent-validating-admission-policy-status-syncs": {
    type: "int",
    default: 5,
    help: "Limit of parallel syncs.",
  },
} satisfies FlagSet;
