import type { FlagSet } from "#/std/flags.ts";

/** Upstream's section "Etcd flags". */
export const etcdFlags = {
  "delete-collection-workers": { type: "int", default: 1, help: "" },
  "enable-garbage-collector": { type: "bool", default: true, help: "" },
  "encryption-provider-config": { type: "string", help: "" },
  "encryption-provider-config-automatic-reload": { type: "bool", help: "" },
  "etcd-cafile": { type: "string", help: "" },
  "etcd-certfile": { type: "string", help: "" },
  "etcd-compaction-interval": { type: "duration", default: 300000, help: "" },
  "etcd-count-metric-poll-period": { type: "duration", default: 60000, help: "" },
  "etcd-db-metric-poll-interval": { type: "duration", default: 30000, help: "" },
  "etcd-healthcheck-timeout": { type: "duration", default: 2000, help: "" },
  "etcd-keyfile": { type: "string", help: "" },
  "etcd-prefix": { type: "string", default: "/registry", help: "" },
  "etcd-readycheck-timeout": { type: "duration", default: 2000, help: "" },
  "etcd-servers": { type: "stringSlice", help: "" },
  "etcd-servers-overrides": { type: "stringSlice", help: "" },
  "lease-reuse-duration-seconds": { type: "int", default: 60, help: "" },
  "storage-backend": { type: "string", help: "" },
  "storage-media-type": {
    type: "string",
    default: "application/vnd.kubernetes.protobuf",
    help: "",
  },
  "watch-cache": { type: "bool", default: true, help: "" },
  "watch-cache-sizes": { type: "stringSlice", help: "" },
} satisfies FlagSet;
