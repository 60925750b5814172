import type { FlagSet } from "#/std/flags.ts";

/** Upstream's section "Misc flags". */
export const controlPlaneFlags = {
  "aggregator-reject-forwarding-redirect": { type: "bool", default: true, help: "" },
  "allow-privileged": { type: "bool", help: "" },
  "coordinated-leadership-lease-duration": { type: "duration", default: 15000, help: "" },
  "coordinated-leadership-renew-deadline": { type: "duration", default: 10000, help: "" },
  "coordinated-leadership-retry-period": { type: "duration", default: 2000, help: "" },
  "enable-aggregator-routing": { type: "bool", help: "" },
  "enable-logs-handler": { type: "bool", help: "" },
  "endpoint-reconciler-type": { type: "string", default: "lease", help: "" },
  "event-ttl": { type: "duration", default: 3600000, help: "" },
  "kubelet-certificate-authority": { type: "string", help: "" },
  "kubelet-client-certificate": { type: "string", help: "" },
  "kubelet-client-key": { type: "string", help: "" },
  "kubelet-preferred-address-types": {
    type: "stringSlice",
    default: ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"],
    help: "",
  },
  "kubelet-timeout": { type: "duration", default: 5000, help: "" },
  "kubernetes-service-node-port": { type: "int", help: "" },
  "max-connection-bytes-per-sec": { type: "int", help: "" },
  "peer-advertise-ip": { type: "string", help: "" },
  "peer-advertise-port": { type: "string", help: "" },
  "peer-ca-file": { type: "string", help: "" },
  "proxy-client-cert-file": { type: "string", help: "" },
  "proxy-client-key-file": { type: "string", help: "" },
  "service-account-signing-endpoint": { type: "string", help: "" },
  "service-account-signing-key-file": { type: "string", help: "" },
  "service-cluster-ip-range": { type: "string", help: "" },
  "service-node-port-range": { type: "string", default: "30000-32767", help: "" },
} satisfies FlagSet;
