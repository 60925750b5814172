import type { Random } from "#/std/base/random.ts";
import type { OutgoingRequest } from "../outgoing/answer.ts";
import {
  changeFields,
  changePath,
  corsFields,
  isPreflight,
  locationOf,
} from "../table/apply-filters.ts";
import { requestFields } from "../table/forwarded-fields.ts";
import type { RequestedTarget } from "../table/request-target.ts";
import type { Target } from "../table/route-table.ts";
import type {
  BackendRef,
  Mirror,
  RouteFilters,
  RouteTarget,
  WeightedBackend,
} from "../table/route-target.ts";
import type { ClientExchange } from "./exchange.ts";

/** A request for a backend, and what happens to the response. */
export interface PlannedForward {
  readonly kind: "forward";
  readonly ref: BackendRef;
  readonly request: OutgoingRequest;
  /** Whether the backend speaks HTTP/2, whatever its Service says. */
  readonly isHttp2: boolean;
  readonly changeResponse?: ((fields: string[]) => string[]) | undefined;
  readonly mirrors?: readonly Mirror[] | undefined;
  /** Limit of the time for the response (ms); undefined for the gateway's own. */
  readonly limitMs?: number | undefined;
}

/** A response of the gateway's own. */
export interface PlannedReply {
  readonly kind: "reply";
  readonly status: number;
  readonly text: string;
  readonly fields?: readonly string[];
}

/** What to do with a request whose target is known; pure but for the choice among weights. */
export function planForward(
  exchange: ClientExchange,
  target: RequestedTarget,
  found: Target,
  random: Random,
): PlannedForward | PlannedReply {
  if (found.kind === "reply") return found;
  if (found.kind === "route") return planRoute(exchange, target, found, random);
  return { kind: "forward", ref: found, request: requestOf(exchange, target), isHttp2: false };
}

function requestOf(
  { method, fields, hasBody, isUpgrade, connection }: ClientExchange,
  { path, query, authority }: RequestedTarget,
): OutgoingRequest {
  return {
    method,
    path: path + query,
    fields: requestFields(fields, connection, authority),
    hasBody,
    isUpgrade,
  };
}

function planRoute(
  exchange: ClientExchange,
  target: RequestedTarget,
  route: RouteTarget,
  random: Random,
): PlannedForward | PlannedReply {
  const { filters } = route;
  const { method, fields, connection } = exchange;
  if (filters.cors && isPreflight(method, fields)) {
    return { kind: "reply", status: 204, text: "", fields: corsFields(filters.cors, fields, true) };
  }
  if (filters.redirect) {
    const location = ["location", locationOf(filters.redirect, target, connection)];
    const changed = filters.response ? changeFields(location, filters.response) : location;
    return { kind: "reply", status: filters.redirect.status, text: "", fields: changed };
  }
  const backend = chooseByWeight(route.backends, random);
  if (!backend?.ref) {
    const text = "the route has no backend\n";
    return { kind: "reply", status: route.isGrpc ? 503 : 500, text };
  }
  const all = backend.filters ? [filters, backend.filters] : [filters];
  return {
    kind: "forward",
    ref: backend.ref,
    request: changedRequest(requestOf(exchange, target), target, all),
    isHttp2: backend.isHttp2 === true,
    changeResponse: responseChange(exchange, all),
    mirrors: mirrorsOf(all, random),
    limitMs: least(route.requestMs, route.backendMs),
  };
}

export function chooseByWeight(
  backends: readonly WeightedBackend[],
  random: Random,
): WeightedBackend | undefined {
  if (backends.length === 1) return backends[0]?.weight === 0 ? undefined : backends[0];
  const total = backends.reduce((sum, { weight }) => sum + weight, 0);
  let left = random() * total;
  for (const backend of backends) {
    left -= backend.weight;
    if (left < 0) return backend;
  }
  return undefined;
}

function changedRequest(
  request: OutgoingRequest,
  { path, query }: RequestedTarget,
  all: readonly RouteFilters[],
): OutgoingRequest {
  let { fields, path: changedPath } = request;
  for (const filters of all) {
    if (filters.request) fields = changeFields(fields, filters.request);
    const { host } = filters;
    if (host) fields = changeFields(fields, { set: [["host", host]], add: [], remove: [] });
    if (filters.path) changedPath = changePath(path, filters.path) + query;
  }
  return { ...request, fields, path: changedPath };
}

function responseChange(
  { fields }: ClientExchange,
  all: readonly RouteFilters[],
): PlannedForward["changeResponse"] {
  const changes = all.flatMap(({ response }) => response ?? []);
  const cors = all.find((one) => one.cors)?.cors;
  if (changes.length === 0 && !cors) return undefined;
  return (given) => {
    const changed = changes.reduce(changeFields, given) as string[];
    return cors ? [...withoutCors(changed), ...corsFields(cors, fields, false)] : changed;
  };
}

/** The backend's own words about other origins do not count. */
const withoutCors = (fields: readonly string[]): string[] =>
  fields.filter((_, at) => !fields[at & ~1]?.startsWith("access-control-"));

function mirrorsOf(all: readonly RouteFilters[], random: Random): readonly Mirror[] | undefined {
  const mirrors = all.flatMap((filters) => filters.mirrors ?? []);
  return mirrors.length === 0 ? undefined : mirrors.filter(({ part }) => random() < part);
}

const least = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
