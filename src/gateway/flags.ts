import { globalFlags } from "#/component/component-command.ts";
import { tracingFlags } from "#/component/tracing-configuration.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";

const accessFlags = {
  kubeconfig: { type: "string", help: "The kubeconfig `file`." },
  master: { type: "string", help: "The address of the API server, over that of the kubeconfig." },
} satisfies FlagSet;

const serverFlags = {
  "bind-address": { type: "ip", default: "0.0.0.0", help: "The address to listen at." },
  "http-port": { type: "uint16", help: "The port for HTTP; 0 for any free one." },
  "https-port": { type: "uint16", help: "The port for HTTPS; 0 for any free one." },
  "public-http-port": {
    type: "uint16",
    default: 80,
    help: "The port for HTTP as clients know it, for X-Forwarded-Port.",
  },
  "public-https-port": {
    type: "uint16",
    default: 443,
    help: "The port for HTTPS as clients know it.",
  },
  "local-domain": {
    type: "string",
    help: "The `domain` of names NAME.NAMESPACE.domain for each Ingress and load balancer, such as k8s.localhost; empty for none.",
  },
  "status-bind-address": {
    type: "string",
    default: "127.0.0.1:10262",
    help: "Where /healthz, /readyz and /metrics are served; empty: nowhere.",
  },
} satisfies FlagSet;

const publishFlags = {
  service: {
    type: "string",
    default: "k8ts-gateway/gateway",
    help: "The `namespace/name` of the Service that leads here: its addresses are those of each Ingress.",
  },
  "publish-address": {
    type: "string",
    help: "Make an endpoint of this address for that Service. Default: its endpoints are made by others.",
  },
  "node-name": { type: "string", help: "The name of the node with that address." },
  cleanup: { type: "bool", help: "Remove that endpoint, and exit." },
} satisfies FlagSet;

/** The flags of the gateway. */
export const gatewayFlags = {
  ...accessFlags,
  ...serverFlags,
  ...publishFlags,
  ...tracingFlags,
  ...logFlags,
  ...globalFlags,
} satisfies FlagSet;

export type GatewayFlags = FlagValues<typeof gatewayFlags>;

/** The flag sections of --help. */
export const flagSectionList: readonly { readonly title: string; readonly flags: FlagSet }[] = [
  { title: "API server", flags: accessFlags },
  { title: "Server", flags: serverFlags },
  { title: "Service", flags: publishFlags },
  { title: "Traces", flags: tracingFlags },
  { title: "Logs", flags: logFlags },
  { title: "Global", flags: globalFlags },
];
