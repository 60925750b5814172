import type { FlagSet } from "#/std/flags/flags.ts";

/** Upstream's section "Etcd flags". */
export const etcdFlags = {
  "default-watch-cache-size": {
    type: "int",
    default: 100,
    help: "Of no use any more.",
    deprecated:
      "Watch caches are sized automatically. This flag is no-op and it will be removed in a future version.",
  },
  "delete-collection-workers": {
    type: "int",
    default: 1,
    help: "Deletions at a time when a collection is deleted.",
  },
  "enable-garbage-collector": {
    type: "bool",
    default: true,
    help: "Whether the controller manager collects garbage, so that deletions may leave it to it.",
  },
  "encryption-provider-config": {
    type: "string",
    help: "The file that says how values are encrypted in the store.",
  },
  "encryption-provider-config-automatic-reload": {
    type: "bool",
    help: "Follow changes of --encryption-provider-config.",
  },
  "etcd-cafile": {
    type: "string",
    help: "The authority that etcd's certificate is checked against.",
  },
  "etcd-certfile": { type: "string", help: "The client certificate for etcd." },
  "etcd-compaction-interval": {
    type: "duration",
    default: 300000,
    help: "How often history is compacted; 0 for never.",
  },
  "etcd-count-metric-poll-period": {
    type: "duration",
    default: 60000,
    help: "How often objects are counted for metrics; 0 for never.",
  },
  "etcd-db-metric-poll-interval": {
    type: "duration",
    default: 30000,
    help: "How often etcd is asked for its size.",
  },
  "etcd-healthcheck-timeout": {
    type: "duration",
    default: 2000,
    help: "How long the store may take to show that it is well.",
  },
  "etcd-keyfile": { type: "string", help: "The key of --etcd-certfile." },
  "etcd-prefix": {
    type: "string",
    default: "/registry",
    help: "What all keys in etcd begin with.",
  },
  "etcd-readycheck-timeout": {
    type: "duration",
    default: 2000,
    help: "How long the store may take to show that it is ready.",
  },
  "etcd-servers": {
    type: "stringSlice",
    help: "The addresses of etcd; the embedded store is used without them.",
  },
  "etcd-servers-overrides": {
    type: "stringSlice",
    help: "Other servers for some resources, as group/resource#servers.",
  },
  "lease-reuse-duration-seconds": {
    type: "int",
    default: 60,
    help: "How long a lease in etcd is given to further keys.",
  },
  "storage-backend": { type: "string", help: "The kind of store: etcd3." },
  "storage-media-type": {
    type: "string",
    default: "application/vnd.kubernetes.protobuf",
    help: "The format of objects in etcd; JSON if the flag is not given.",
  },
  "watch-cache": { type: "bool", default: true, help: "Serve reads and watches from memory." },
  "watch-cache-sizes": {
    type: "stringSlice",
    help: "Sizes of the watch cache, as resource#size; only 0 has a meaning.",
  },
} satisfies FlagSet;
