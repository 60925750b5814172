import { globalFlags } from "#/component/component-command.ts";
import { tracingFlags } from "#/component/tracing-configuration.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";

const accessFlags = {
  kubeconfig: { type: "string", help: "The kubeconfig file, for --mode=publisher." },
  master: { type: "string", help: "The API server's address, instead of the kubeconfig's." },
} satisfies FlagSet;

const serverFlags = {
  mode: {
    type: "string",
    default: "server",
    help: "What to run: server (the registry), publisher (the ConfigMap by which tools find it), or none.",
  },
  port: { type: "uint16", default: 5001, help: "The port on localhost." },
  netns: {
    type: "string",
    help: "The `file` of a network namespace whose localhost has the port as well: that of the machine around a node.",
  },
  "users-of": {
    type: "stringSlice",
    help: "`Files` whose owners may use the registry, besides root.",
  },
  "containerd-address": {
    type: "string",
    default: "unix:///run/containerd/containerd.sock",
    help: "The socket of the containerd that has the images.",
  },
  "containerd-namespace": {
    type: "string",
    default: "k8s.io",
    help: "containerd's namespace of the images; k8s.io is that of CRI.",
  },
  "peer-bind-address": {
    type: "string",
    help: "The address at which other nodes pull images, with certificates of nodes; empty: none.",
  },
  "peer-port": { type: "uint16", default: 10264, help: "The port at that address." },
  "tls-cert-file": { type: "string", help: "The certificate for other nodes." },
  "tls-private-key-file": { type: "string", help: "Its key." },
  "client-ca-file": { type: "string", help: "The authority of the nodes' own certificates." },
  "status-bind-address": {
    type: "string",
    default: "127.0.0.1:10265",
    help: "Where /healthz and /metrics are served; empty: nowhere.",
  },
  cleanup: { type: "bool", help: "Remove the ConfigMap, and exit." },
} satisfies FlagSet;

/** The flags of the registry. */
export const registryFlags = {
  ...accessFlags,
  ...serverFlags,
  ...tracingFlags,
  ...logFlags,
  ...globalFlags,
} satisfies FlagSet;

export type RegistryFlags = FlagValues<typeof registryFlags>;

/** The flag sections of --help. */
export const flagSectionList = [
  { title: "API server", flags: accessFlags },
  { title: "registry", flags: serverFlags },
  { title: "traces", flags: tracingFlags },
  { title: "logs", flags: logFlags },
  { title: "global", flags: globalFlags },
] as const;
