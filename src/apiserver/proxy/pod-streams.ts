import {
  badRequest,
  forbidden,
  internalError,
  methodNotAllowed,
} from "#/machinery/status-error.ts";
import type { ActionStrategy } from "../registry/strategy.ts";
import type { Result } from "../verbs/result.ts";
import type { ResourceRequest } from "../verbs/write-request.ts";
import { admitConnect } from "./admit-connect.ts";
import { chooseContainer } from "./choose-container.ts";
import { connectionsOf, findKubeletOf, podOf } from "./pod-request.ts";
import { flagIn, portsIn } from "./query-values.ts";
import { passOn } from "./reverse-proxy.ts";

/** Options of exec and attach. */
interface StreamOptions {
  readonly stdin?: true;
  readonly stdout?: true;
  readonly stderr?: true;
  readonly tty?: true;
  readonly container?: string;
  readonly command?: readonly string[];
}

/**
 * Streams into and out of a pod's containers. Whatever protocol the client speaks (SPDY, or one of WebSocket's) is
 * passed through to the kubelet, which knows them all since 1.36.
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
  return connect(request, pod.spec.nodeName, path, query);
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
  return connect(request, pod.spec.nodeName, path, query.toString());
}

async function connect(
  request: ResourceRequest,
  nodeName: string | undefined,
  path: string,
  query: string,
): Promise<Result> {
  const { exchange } = request;
  if (!nodeName) throw badRequest(`pod ${exchange.info.name} does not have a host assigned`);
  const connections = connectionsOf(request);
  const kubelet = await findKubeletOf(request, nodeName);
  const location = { ...kubelet, path, query };
  const options = { transport: connections.kubelet, location, upgradeRequired: true };
  return { type: "raw", reply: await passOn(exchange, options) };
}

/** A WebSocket is opened by GET, but whoever may only read may not open one. */
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
