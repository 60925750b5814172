import { globalFlags } from "#/component/component-command.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";

const accessFlags = {
  kubeconfig: { type: "string", help: "The kubeconfig file." },
  master: { type: "string", help: "The API server's address, instead of the kubeconfig's." },
} satisfies FlagSet;

const modeFlags = {
  mode: {
    type: "string",
    default: "node",
    help: "What to run: node (the CSI driver of this node, and its volumes), driver (the CSI driver alone, for the sidecars of kubernetes-csi), or controllers (once in a cluster).",
  },
  cleanup: {
    type: "bool",
    help: "Unmount and detach all volumes of this node, which keep their content, and exit.",
  },
} satisfies FlagSet;

const nodeFlags = {
  "node-name": { type: "string", help: "The name of this node. Default: the hostname." },
  "root-dir": {
    type: "string",
    default: "/var/lib/k8ts/local-storage",
    help: "The folder of the volumes.",
  },
  "kubelet-dir": {
    type: "string",
    default: "/var/lib/kubelet",
    help: "The kubelet's --root-dir, in which the driver registers.",
  },
  backend: {
    type: "string",
    default: "auto",
    help: "How new volumes are kept: image (files with a file system of their own, by loop devices), directory (folders whose size is not enforced), or auto (the first of these that works).",
  },
  "status-bind-address": {
    type: "string",
    default: "127.0.0.1:10266",
    help: "Where /healthz, /readyz and /metrics of this node's volumes are served; empty: nowhere.",
  },
  overcommit: {
    type: "float",
    default: 4,
    help: "How many times the bytes of the disk are promised to volumes, which take only what is written to them. 1: no more than there are.",
  },
} satisfies FlagSet;

/** The flags of local-storage. */
export const localStorageFlags = {
  ...accessFlags,
  ...modeFlags,
  ...nodeFlags,
  ...logFlags,
  ...globalFlags,
} satisfies FlagSet;

export type LocalStorageFlags = FlagValues<typeof localStorageFlags>;

/** The flag sections of --help. */
export const flagSectionList = [
  { title: "API server", flags: accessFlags },
  { title: "mode", flags: modeFlags },
  { title: "node", flags: nodeFlags },
  { title: "logs", flags: logFlags },
  { title: "global", flags: globalFlags },
] as const;
