import { lookup } from "node:dns/promises";
import { nodes, pods, type Service, services } from "#/api/core/v1.ts";
import { type Endpoint, endpointSlices } from "#/api/discovery/v1.ts";
import { badRequest, serviceUnavailable } from "#/machinery/meta/status-error.ts";
import { systemRandom } from "#/std/base/random.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { isGlobalUnicast, parseNetIp } from "#/std/net/ip.ts";
import { joinPaths, type Location, parseProxyName } from "../outgoing/location.ts";
import type { Transport } from "../outgoing/transport.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { Result } from "../registry/result.ts";
import type { ActionStrategy } from "../registry/strategy.ts";
import { admitConnect } from "./admit-connect.ts";
import { chooseEndpoint, slicesOf } from "./choose-endpoint.ts";
import { connectionsOf, podOf } from "./pod-request.ts";
import { passOn, queryOf } from "./reverse-proxy.ts";

/** The destination of a proxy request. */
interface Route {
  readonly origin: Pick<Location, "scheme" | "hostname" | "port">;
  readonly transport: Transport;
}

type FindRoute = (request: ResourceRequest, id: string) => Promise<Route>;

/** The proxy subresource of pods. Upstream: pkg/registry/core/pod/strategy.go (ResourceLocation). */
export const podProxyAction: ActionStrategy = proxyAction("PodProxyOptions", routeToPod);

/** The proxy subresource of services. Upstream: pkg/registry/core/service/storage/storage.go. */
export const serviceProxyAction: ActionStrategy = proxyAction(
  "ServiceProxyOptions",
  routeToService,
);

/** The proxy subresource of nodes. Upstream: pkg/registry/core/node/strategy.go (ResourceLocation). */
export const nodeProxyAction: ActionStrategy = proxyAction("NodeProxyOptions", routeToNode);

function proxyAction(kind: string, findRoute: FindRoute): ActionStrategy {
  return {
    async connect(request): Promise<Result> {
      const { exchange } = request;
      const path = subpathOf(exchange);
      await admitConnect(request, kind, path === "" ? {} : { path });
      const { origin, transport } = await findRoute(request, exchange.info.name);
      const location = { ...origin, path: joinPaths(path), query: queryOf(exchange) };
      return { type: "raw", reply: await passOn(exchange, { transport, location }) };
    },
  };
}

/** The path after the subresource, with its leading and trailing slashes. */
function subpathOf({ info, path }: ResourceRequest["exchange"]): string {
  const rest = info.parts.slice(3).join("/");
  const rooted = rest !== "" && !rest.startsWith("/") ? `/${rest}` : rest;
  return path.endsWith("/") && !rooted.endsWith("/") ? `${rooted}/` : rooted;
}

async function routeToPod(request: ResourceRequest, id: string): Promise<Route> {
  const wanted = parseProxyName(id);
  if (!wanted) throw badRequest(`invalid pod request ${goQuote(id)}`);
  const { spec, status } = await podOf(request, wanted.name);
  const declared = spec.containers.find(({ ports }) => ports && ports.length > 0)?.ports?.[0];
  const port = wanted.port === "" ? declared?.containerPort : portNumber(wanted.port);
  const hostname = status?.podIPs?.[0]?.ip ?? "";
  if (!isProxyable(hostname)) throw badRequest("address not allowed");
  return {
    origin: { scheme: wanted.scheme, hostname, ...(port === undefined ? {} : { port }) },
    transport: connectionsOf(request).backend,
  };
}

async function routeToService(request: ResourceRequest, id: string): Promise<Route> {
  const { exchange, services } = request;
  const { namespace } = exchange.info;
  const wanted = parseProxyName(id);
  if (!wanted) throw badRequest(`invalid service request ${goQuote(id)}`);
  const { name } = wanted;
  const portName = /^[+-]?\d+$/.test(wanted.port)
    ? await portNameOf(request, name, Number(wanted.port))
    : wanted.port;
  if (namespace === "") throw badRequest("missing required namespace");
  const slices = slicesOf(services.store(endpointSlices), namespace, name);
  const podStore = services.store(pods);
  const endpoint = chooseEndpoint({
    service: name,
    slices,
    portName,
    random: systemRandom,
    accept: (candidate) =>
      isPodOf(candidate, namespace, (pod) => podStore.findCached(namespace, pod)?.parsed()),
  });
  return {
    origin: { scheme: wanted.scheme, ...endpoint },
    transport: connectionsOf(request).backend,
  };
}

async function portNameOf(request: ResourceRequest, name: string, port: number): Promise<string> {
  const { namespace } = request.exchange.info;
  const found = await request.services.store(services).get(namespace, name);
  const { spec } = found.parsed() as unknown as Service;
  const declared = spec.ports?.find((candidate) => candidate.port === port);
  if (declared) return declared.name ?? "";
  throw serviceUnavailable(`no service port ${port} found for service ${goQuote(name)}`);
}

/** Only addresses of pods are proxied to: an EndpointSlice may have any address in the network. */
function isPodOf(
  { targetRef, addresses }: Endpoint,
  namespace: string,
  findPod: (name: string) => object | undefined,
): boolean {
  if (!targetRef || targetRef.namespace !== namespace) return false;
  const pod = findPod(targetRef.name ?? "") as
    | { status?: { podIPs?: { ip?: string }[] } }
    | undefined;
  return pod?.status?.podIPs?.some(({ ip }) => ip === addresses[0]) ?? false;
}

async function routeToNode(request: ResourceRequest, id: string): Promise<Route> {
  const wanted = parseProxyName(id);
  if (!wanted) throw badRequest(`invalid node request ${goQuote(id)}`);
  const connections = connectionsOf(request);
  const nodeStore = request.services.store(nodes);
  const { scheme, hostname, port } = await connections.findKubelet(nodeStore, wanted.name);
  await ensureProxyable(hostname);
  if (wanted.port === "" || wanted.port === String(port)) {
    return { origin: { scheme, hostname, port }, transport: connections.kubelet };
  }
  return {
    origin: { scheme: wanted.scheme, hostname, port: portNumber(wanted.port) },
    transport: connections.backend,
  };
}

async function ensureProxyable(hostname: string): Promise<void> {
  const addresses = await lookup(hostname, { all: true }).catch(() => {
    throw badRequest(`lookup ${hostname}: no such host`);
  });
  if (addresses.length === 0) throw badRequest("no addresses for hostname");
  if (!addresses.every(({ address }) => isProxyable(address))) {
    throw badRequest("address not allowed");
  }
}

function isProxyable(address: string): boolean {
  const ip = parseNetIp(address);
  return ip !== undefined && isGlobalUnicast(ip);
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw serviceUnavailable(
    `error trying to reach service: dial tcp: lookup tcp/${text}: unknown port`,
  );
}
