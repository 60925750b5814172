import type { FlagSet } from "#/std/flags/flags.ts";

/** Upstream's section "Misc flags". */
export const controlPlaneFlags = {
  "apiserver-count": {
    type: "int",
    default: 1,
    help: "Of no use any more.",
    deprecated: "apiserver-count is deprecated and will be removed in a future version.",
  },
  "kubelet-port": {
    type: "uint",
    default: 10250,
    help: "Of no use any more: nodes say it themselves.",
    deprecated: "kubelet-port is deprecated and will be removed.",
  },
  "kubelet-read-only-port": {
    type: "uint",
    default: 10255,
    help: "Of no use any more.",
    deprecated: "kubelet-read-only-port is deprecated and will be removed.",
  },
  "aggregator-reject-forwarding-redirect": {
    type: "bool",
    default: true,
    help: "Refuse redirects of aggregated servers.",
  },
  "allow-privileged": { type: "bool", help: "Let containers be privileged." },
  "coordinated-leadership-lease-duration": {
    type: "duration",
    default: 15000,
    help: "How long a coordinated lease lasts.",
  },
  "coordinated-leadership-renew-deadline": {
    type: "duration",
    default: 10000,
    help: "How long a leader tries to renew its coordinated lease.",
  },
  "coordinated-leadership-retry-period": {
    type: "duration",
    default: 2000,
    help: "How long to wait between attempts on a coordinated lease.",
  },
  "enable-aggregator-routing": {
    type: "bool",
    help: "Send aggregated requests to endpoints instead of the service's address.",
  },
  "enable-logs-handler": { type: "bool", help: "Serve log files at /logs; deprecated." },
  "endpoint-reconciler-type": {
    type: "string",
    default: "lease",
    help: "How the endpoints of the kubernetes service are kept: lease, master-count or none.",
  },
  "event-ttl": { type: "duration", default: 3600000, help: "How long events are kept." },
  "kubelet-certificate-authority": {
    type: "string",
    help: "The authority that certificates of kubelets are checked against.",
  },
  "kubelet-client-certificate": { type: "string", help: "The client certificate for kubelets." },
  "kubelet-client-key": { type: "string", help: "The key of --kubelet-client-certificate." },
  "kubelet-preferred-address-types": {
    type: "stringSlice",
    default: ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"],
    help: "Kinds of node addresses, in the order in which they are tried.",
  },
  "kubelet-timeout": {
    type: "duration",
    default: 5000,
    help: "How long a kubelet may take to answer.",
  },
  "kubernetes-service-node-port": {
    type: "int",
    help: "Make the kubernetes service a NodePort service at this port; 0 for not.",
  },
  "max-connection-bytes-per-sec": {
    type: "int",
    help: "Bytes per second on a connection of a user; 0 for any.",
  },
  "peer-advertise-ip": {
    type: "string",
    help: "The address at which other API servers reach this one.",
  },
  "peer-advertise-port": {
    type: "string",
    help: "The port at which other API servers reach this one.",
  },
  "peer-ca-file": {
    type: "string",
    help: "The authority that certificates of other API servers are checked against.",
  },
  "proxy-client-cert-file": {
    type: "string",
    help: "The client certificate for aggregated servers and webhooks.",
  },
  "proxy-client-key-file": { type: "string", help: "The key of --proxy-client-cert-file." },
  "service-account-signing-endpoint": {
    type: "string",
    help: "The socket of a signer of service account tokens.",
  },
  "service-account-signing-key-file": {
    type: "string",
    help: "The key that signs tokens of service accounts.",
  },
  "service-cluster-ip-range": {
    type: "string",
    help: "The networks of service addresses, one per family, separated by a comma.",
  },
  "service-node-port-range": {
    type: "string",
    default: "30000-32767",
    help: "The ports for NodePort services.",
  },
} satisfies FlagSet;
