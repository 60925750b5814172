/** Upstream: sigs.k8s.io/gateway-api/apis/v1/httproute_types.go, grpcroute_types.go. */

import { memoByIdentity } from "#/std/memory/memo.ts";
import type {
  FilteredBackendRef,
  GrpcRouteRule,
  HttpRouteMatch,
  HttpRouteRule,
  TlsRouteRule,
  ValueMatch,
} from "../api/gateway-objects.ts";
import { compilePattern, type Pattern } from "../table/pattern.ts";
import type { Conditions, HostRule } from "../table/route-table.ts";
import type { RouteTarget, WeightedBackend } from "../table/route-target.ts";
import { type BackendFacts, type RouteIdentity, resolveRef } from "./backend-refs.ts";
import { isFalse, type PlainCondition } from "./condition.ts";
import { filtersOf } from "./filters.ts";

/** A rule for a path, whatever its host. */
type PathOnlyRule = Omit<HostRule, "host">;

export interface PlannedRules {
  readonly rules: readonly PathOnlyRule[];
  readonly problems: readonly PlainCondition[];
}

interface RuleContext {
  readonly route: RouteIdentity;
  readonly facts: BackendFacts;
  readonly report: (problem: PlainCondition) => void;
  /** What is left for the patterns of the route (instructions). */
  readonly patterns: { left: number };
}

/** Limit of all patterns of a route (instructions): they are compiled between requests of others. */
const maxPatterns = 5_000;

/** The rules of an HTTPRoute; pure. */
export function httpRules(
  rules: readonly HttpRouteRule[],
  route: RouteIdentity,
  facts: BackendFacts,
): PlannedRules {
  return collect(rules, route, facts, (rule, context) =>
    (rule.matches?.length ? rule.matches : [{}]).flatMap((match): PathOnlyRule[] => {
      const path = pathOf(match, context);
      if (!path) return [];
      const target = targetOf(rule, path.match === "Prefix" ? path.path : "/", context);
      const { requestMs, backendMs } = timeoutsOf(rule);
      const conditions = conditionsOf(match, context);
      if (!conditions) return [];
      return [{ ...path, ...conditions, target: { ...target, requestMs, backendMs } }];
    }),
  );
}

/** The rules of a GRPCRoute; pure. A method is a path of HTTP/2. */
export function grpcRules(
  rules: readonly GrpcRouteRule[],
  route: RouteIdentity,
  facts: BackendFacts,
): PlannedRules {
  return collect(rules, route, facts, (rule, context) =>
    (rule.matches?.length ? rule.matches : [{}]).flatMap(({ method, headers }): PathOnlyRule[] => {
      const path = grpcPath(method ?? {}, context);
      const conditions = conditionsOf({ ...(headers ? { headers } : {}) }, context);
      if (!path || !conditions) return [];
      const target = targetOf(rule, "/", context);
      const backends = target.backends.map((one) => ({ ...one, isHttp2: true }));
      return [{ ...path, ...conditions, target: { ...target, backends, isGrpc: true } }];
    }),
  );
}

function collect<Rule>(
  rules: readonly Rule[],
  route: RouteIdentity,
  facts: BackendFacts,
  plan: (rule: Rule, context: RuleContext) => PathOnlyRule[],
): PlannedRules {
  const problems: PlainCondition[] = [];
  const report = (problem: PlainCondition): void => void problems.push(problem);
  const context = { route, facts, report, patterns: { left: maxPatterns } };
  return { rules: rules.flatMap((rule) => plan(rule, context)), problems };
}

function pathOf(
  { path = {} }: HttpRouteMatch,
  context: RuleContext,
): Pick<PathOnlyRule, "match" | "path"> | undefined {
  const { type = "PathPrefix", value = "/" } = path;
  if (type === "Exact") return { match: "Exact", path: value };
  if (type === "PathPrefix") return { match: "Prefix", path: value };
  const match = type === "RegularExpression" ? allowed(() => ofValue(path), context) : undefined;
  return match && { match, path: value };
}

type GrpcMethod = NonNullable<NonNullable<GrpcRouteRule["matches"]>[number]["method"]>;

function grpcPath(
  match: GrpcMethod,
  context: RuleContext,
): Pick<PathOnlyRule, "match" | "path"> | undefined {
  const { type = "Exact", service = "", method = "" } = match;
  if (service === "" && method === "") return { match: "Prefix", path: "/" };
  if (type === "Exact" && service && method)
    return { match: "Exact", path: `/${service}/${method}` };
  if (type === "Exact" && service) return { match: "Prefix", path: `/${service}` };
  const pattern = allowed(() => ofMethod(match), context);
  return pattern && { match: pattern, path: pattern.text };
}

function grpcPattern({ type = "Exact", service = "", method = "" }: GrpcMethod): string {
  const quoted = type === "Exact" ? method.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : method;
  return `/${service || "[^/]+"}/${quoted || "[^/]+"}`;
}

/** Compiled once for an object: each change of a route plans all of them again. */
const ofValue = memoByIdentity(({ value }: { readonly value?: string }) =>
  compilePattern(value ?? "/"),
);
const ofMethod = memoByIdentity((match: GrpcMethod) => compilePattern(grpcPattern(match)));

/** A pattern that a route may have; undefined if it can't be used. */
function allowed(
  compile: () => Pattern | string,
  { report, patterns }: RuleContext,
): Pattern | undefined {
  const found = patterns.left > 0 ? compile() : "the route's regular expressions are too large";
  if (typeof found !== "string") {
    patterns.left -= found.size;
    return found;
  }
  report(isFalse("Accepted", "UnsupportedValue", found));
  return undefined;
}

/** The conditions of a match; none if there are none, undefined if a pattern is malformed. */
function conditionsOf(
  { method, headers = [], queryParams = [] }: HttpRouteMatch,
  context: RuleContext,
): { conditions?: Conditions } | undefined {
  if (!method && headers.length === 0 && queryParams.length === 0) return {};
  let isMalformed = false;
  const testOf = (match: ValueMatch) => {
    const { type, name, value } = match;
    const pattern = type === "RegularExpression" ? allowed(() => ofValue(match), context) : value;
    if (pattern === undefined) isMalformed = true;
    return { name, value: pattern ?? value };
  };
  const conditions = {
    ...(method ? { method } : {}),
    headers: headers.map(testOf).map((one) => ({ ...one, name: one.name.toLowerCase() })),
    query: queryParams.map(testOf),
  };
  return isMalformed ? undefined : { conditions };
}

interface AnyRule {
  readonly filters?: HttpRouteRule["filters"];
  readonly backendRefs?: readonly FilteredBackendRef[];
}

function targetOf(rule: AnyRule, prefix: string, context: RuleContext): RouteTarget {
  const filterContext = { ...context, prefix };
  const backends = (rule.backendRefs ?? []).map((backend): WeightedBackend => {
    const { ref, problem } = resolveRef(backend, context.route, context.facts);
    if (problem) context.report(problem);
    const filters = backend.filters?.length ? filtersOf(backend.filters, filterContext) : undefined;
    return { weight: backend.weight ?? 1, ref, filters };
  });
  return { kind: "route", backends, filters: filtersOf(rule.filters, filterContext) };
}

function timeoutsOf({ timeouts }: HttpRouteRule) {
  return {
    requestMs: durationMs(timeouts?.request),
    backendMs: durationMs(timeouts?.backendRequest),
  };
}

/** A duration of the Gateway API (ms); undefined for none, which is also what 0 means. */
function durationMs(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const factors: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
  let sum = 0;
  for (const [, digits, unit = ""] of text.matchAll(/(\d+)(ms|h|m|s)/g)) {
    sum += Number(digits) * (factors[unit] ?? 0);
  }
  return sum > 0 ? sum : undefined;
}

/** The backends of a TLSRoute; pure. */
export function tlsBackends(
  rules: readonly TlsRouteRule[],
  route: RouteIdentity,
  facts: BackendFacts,
): { readonly backends: readonly WeightedBackend[]; readonly problems: readonly PlainCondition[] } {
  const resolved = (rules[0]?.backendRefs ?? []).map((backend) => ({
    weight: backend.weight ?? 1,
    ...resolveRef(backend, route, facts),
  }));
  return {
    backends: resolved.map(({ weight, ref }) => ({ weight, ref })),
    problems: resolved.flatMap(({ problem }) => problem ?? []),
  };
}
