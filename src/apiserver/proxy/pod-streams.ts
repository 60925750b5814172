import { text } from "node:stream/consumers";
import type { CommandStreams } from "#/client/streaming/remote-command.ts";
import {
  type DialSpdy,
  spdyHeaders,
  translateCommand,
  translateTunnel,
  wantedTranslation,
} from "#/client/streaming/translate.ts";
import {
  badRequest,
  forbidden,
  internalError,
  methodNotAllowed,
  statusWithoutReason,
} from "#/machinery/meta/status-error.ts";
import type { Exchange, Reply } from "../model/exchange.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { Result } from "../registry/result.ts";
import type { ActionStrategy } from "../registry/strategy.ts";
import { admitConnect } from "./admit-connect.ts";
import { chooseContainer } from "./choose-container.ts";
import { connectionsOf, findKubeletOf, podOf } from "./pod-request.ts";
import { flagIn, portsIn } from "./query-values.ts";
import { type ProxyOptions, passOn } from "./reverse-proxy.ts";

/** Options of exec and attach. */
interface StreamOptions {
  readonly stdin?: true;
  readonly stdout?: true;
  readonly stderr?: true;
  readonly tty?: true;
  readonly container?: string;
  readonly command?: readonly string[];
}

/** Feature of a node with a kubelet that supports all protocols of clients; kubelets before 1.36 support SPDY only. */
const knowsWebSockets = "ExtendWebSocketsToKubelet";

/**
 * Streams to and from a pod's containers. The client's protocol (SPDY, or one of WebSocket's) is forwarded to the
 * kubelet, or translated for kubelets that don't support it.
 *
 * Upstream: pkg/registry/core/pod/rest/subresources.go, pkg/registry/core/pod/strategy.go (streamLocation).
 */
export const execAction: ActionStrategy = upgradeable((request) =>
  stream(request, "exec", "PodExecOptions", {
    ...streamOptions(request),
    command: request.exchange.query.getAll("command"),
  }),
);

export const attachAction: ActionStrategy = upgradeable((request) =>
  stream(request, "attach", "PodAttachOptions", streamOptions(request)),
);

export const portForwardAction: ActionStrategy = upgradeable(async (request) => {
  const ports = portsIn(request.exchange.query, "ports");
  await admitConnect(request, "PodPortForwardOptions", { ports });
  await ensureMayCreate(request);
  const pod = await podOf(request, request.exchange.info.name);
  const query = ports.length === 0 ? "" : `port=${encodeURIComponent(ports.join(","))}`;
  const path = `/portForward/${pod.metadata.namespace}/${pod.metadata.name}`;
  return connect(request, { nodeName: pod.spec.nodeName, path, query });
});

function upgradeable(run: (request: ResourceRequest) => Promise<Result>): ActionStrategy {
  return {
    async connect(request) {
      const { verb } = request.exchange.info;
      if (verb === "get" || verb === "create") return run(request);
      throw methodNotAllowed();
    },
  };
}

function streamOptions({ exchange: { query } }: ResourceRequest): StreamOptions {
  const container = query.get("container") ?? "";
  return {
    ...(flagIn(query, "stdin") ? { stdin: true } : {}),
    ...(flagIn(query, "stdout") ? { stdout: true } : {}),
    ...(flagIn(query, "stderr") ? { stderr: true } : {}),
    ...(flagIn(query, "tty") ? { tty: true } : {}),
    ...(container === "" ? {} : { container }),
  };
}

async function stream(
  request: ResourceRequest,
  action: "exec" | "attach",
  kind: string,
  options: StreamOptions,
): Promise<Result> {
  await admitConnect(request, kind, options);
  await ensureMayCreate(request);
  const pod = await podOf(request, request.exchange.info.name);
  const container = chooseContainer(pod, options.container ?? "");
  const query = new URLSearchParams();
  for (const part of options.command ?? []) query.append("command", part);
  if (options.stderr) query.set("error", "1");
  if (options.stdin) query.set("input", "1");
  if (options.stdout) query.set("output", "1");
  if (options.tty) query.set("tty", "1");
  const path = `/${action}/${pod.metadata.namespace}/${pod.metadata.name}/${container}`;
  const { stdin = false, stdout = false, stderr = false, tty = false } = options;
  const streams = { stdin, stdout, stderr, tty };
  return connect(request, { nodeName: pod.spec.nodeName, path, query: query.toString(), streams });
}

interface StreamPath {
  readonly nodeName: string | undefined;
  readonly path: string;
  readonly query: string;
  /** Parameters of a command. */
  readonly streams?: CommandStreams;
}

async function connect(
  request: ResourceRequest,
  { nodeName, path, query, streams }: StreamPath,
): Promise<Result> {
  const { exchange } = request;
  if (!nodeName) throw badRequest(`pod ${exchange.info.name} does not have a host assigned`);
  const transport = connectionsOf(request).kubelet;
  const kubelet = await findKubeletOf(request, nodeName);
  const options = { transport, location: { ...kubelet, path, query }, upgradeRequired: true };
  const wanted = kubelet.features.includes(knowsWebSockets)
    ? undefined
    : wantedTranslation(exchange.headers);
  const reply = wanted
    ? await translate(exchange, options, wanted === "command" ? streams : undefined)
    : await passOn(exchange, options);
  return { type: "raw", reply };
}

/** Serves a WebSocket from the kubelet's SPDY: that of a command with its streams, or that of port forwarding. */
async function translate(
  exchange: Exchange,
  options: ProxyOptions,
  streams: CommandStreams | undefined,
): Promise<Reply> {
  const { headers, upgrade: accept } = exchange;
  if (!accept) throw badRequest("Upgrade request required");
  const dial = dialKubelet(exchange, options);
  if (streams) void translateCommand({ headers, accept }, streams, dial);
  else await translateTunnel({ headers, accept }, dial);
  return { status: 101, headers: {}, body: { type: "upgraded" } };
}

function dialKubelet({ signal }: Exchange, { transport, location }: ProxyOptions): DialSpdy {
  return async (protocols) => {
    const headers = spdyHeaders(protocols);
    const asked = { method: "POST", location, headers, signal };
    const { response, upgraded } = await transport.upgrade(asked);
    if (upgraded) return upgraded;
    throw statusWithoutReason(`unable to upgrade connection: ${await text(response)}`);
  };
}

/** A WebSocket is opened by GET, but needs permission to create as well. */
async function ensureMayCreate({ exchange, services }: ResourceRequest): Promise<void> {
  const { info, user } = exchange;
  if (info.verb === "create") return;
  if (!user) throw internalError(new Error("no user found for request"));
  const asked = services.authorizer.authorize({ ...info, user, verb: "create" });
  const { decision, reason, error } = await asked;
  if (error) throw error;
  if (decision === "allow") return;
  throw forbidden({ group: info.apiGroup, name: info.resource }, info.name, reason);
}
