/** Upstream: cmd/kubelet/app/options/options.go. */

import type { Taint } from "#/api/core/v1.ts";
import { globalFlags } from "#/component/component-command.ts";
import { parseTaints } from "#/machinery/pods/taints.ts";
import type { FlagType } from "#/std/flags/flag-types.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";
import { configurationFlags } from "./configuration-flags.ts";

const taints: FlagType<readonly Taint[]> = {
  label: "[]api.Taint",
  zero: [],
  parse: (text) => parseTaints(text.split(",")).add,
  format: (list) =>
    list.map(({ key, value, effect }) => `${key}=${value ?? ""}:${effect}`).join(","),
};

const ownFlags = {
  config: { type: "string", help: "The `file` with the KubeletConfiguration; flags override it." },
  "config-dir": {
    type: "string",
    help: "A directory with further configuration (*.conf), read in order over --config.",
  },
  kubeconfig: {
    type: "string",
    help: "How to reach the API server; without it, only static pods are run.",
  },
  "bootstrap-kubeconfig": {
    type: "string",
    help: "How to ask for a client certificate when the --kubeconfig file does not exist yet.",
  },
  "hostname-override": { type: "string", help: "The node's name, if it isn't the host's." },
  "node-ip": { type: "string", help: "IP addresses of the node, at most one per family." },
  "cert-dir": {
    type: "string",
    default: "/var/lib/kubelet/pki",
    help: "Where certificates are kept that the kubelet makes or is given.",
  },
  "cloud-provider": { type: "string", help: "Empty, or `external`." },
  "root-dir": {
    type: "string",
    default: "/var/lib/kubelet",
    help: "Where volumes and other files of the kubelet are.",
  },
  "node-labels": { type: "mapStringString", help: "Labels for the node when it is registered." },
  "register-with-taints": {
    type: taints,
    config: "registerWithTaints",
    help: "Taints for the node when it is registered: KEY=VALUE:EFFECT,….",
  },
  "lock-file": { type: "string", help: "A file that is locked while the kubelet runs." },
  "exit-on-lock-contention": { type: "bool", help: "Ends when another wants the lock file." },
  "runtime-cgroups": { type: "string", help: "The cgroup of the container runtime." },
  "image-credential-provider-config": {
    type: "string",
    help: "Which programs give credentials for which images.",
  },
  "image-credential-provider-bin-dir": {
    type: "string",
    help: "Where the programs that give credentials for images are.",
  },
  "minimum-container-ttl-duration": {
    type: "duration",
    default: 0,
    help: "How old a dead container must be before it is removed.",
  },
  "maximum-dead-containers-per-container": {
    type: "int32",
    default: 1,
    help: "How many dead instances of a container are kept.",
  },
  "maximum-dead-containers": {
    type: "int32",
    default: -1,
    help: "How many dead containers are kept in all; negative for no limit.",
  },
} satisfies FlagSet;

/** Flags that have no effect here; accepted, so that command lines for upstream's kubelet work. */
const unusedFlags = {
  "contention-profiling": { type: "bool", help: "Of no use here.", hidden: true },
  "cpu-manager-policy-options": { type: "mapStringString", help: "Of no use here.", hidden: true },
  "experimental-allocatable-ignore-eviction": {
    type: "bool",
    help: "Of no use here.",
    hidden: true,
  },
  "experimental-mounter-path": { type: "string", help: "Of no use here.", hidden: true },
  "housekeeping-interval": {
    type: "duration",
    default: 10_000,
    help: "Of no use here.",
    hidden: true,
  },
  "reserved-memory": { type: "stringArray", help: "Of no use here.", hidden: true },
  "topology-manager-policy-options": {
    type: "mapStringString",
    help: "Of no use here.",
    hidden: true,
  },
} satisfies FlagSet;

/** All flags of the kubelet. */
export const kubeletFlags = {
  ...ownFlags,
  ...configurationFlags,
  ...unusedFlags,
  ...logFlags,
  ...globalFlags,
} satisfies FlagSet;

export type KubeletFlags = FlagValues<typeof kubeletFlags>;
