import type {
  HeaderFilter,
  MirrorFilter,
  PathModifier,
  RedirectFilter,
  RouteFilter,
} from "../api/gateway-objects.ts";
import type {
  Cors,
  HeaderChanges,
  Mirror,
  PathChange,
  Redirect,
  RouteFilters,
} from "../table/route-target.ts";
import { type BackendFacts, type RouteIdentity, resolveRef } from "./backend-refs.ts";
import { isFalse, type PlainCondition } from "./condition.ts";
import { filterProblem } from "./filter-problem.ts";

interface FilterContext {
  readonly route: RouteIdentity;
  readonly facts: BackendFacts;
  /** The prefix that a rule matches; "/" for others. */
  readonly prefix: string;
  /** Receives each deficiency: of a reference, or of the route itself. */
  readonly report: (problem: PlainCondition) => void;
}

/** Seconds that a browser keeps the answer to a preflight, unless a route says otherwise; upstream's. */
const defaultMaxAge = 5;

/** The filters of a rule or of a backend; pure. */
export function filtersOf(
  filters: readonly RouteFilter[] | undefined,
  context: FilterContext,
): RouteFilters {
  let planned: RouteFilters = {};
  for (const filter of filters ?? [])
    planned = { ...planned, ...planFilter(filter, context, planned) };
  return planned;
}

function planFilter(
  filter: RouteFilter,
  context: FilterContext,
  before: RouteFilters,
): Partial<RouteFilters> {
  const problem = filterProblem(filter);
  if (problem !== undefined) {
    context.report(isFalse("Accepted", "UnsupportedValue", problem));
    return {};
  }
  const { requestHeaderModifier, responseHeaderModifier, urlRewrite, requestRedirect } = filter;
  if (filter.type === "RequestHeaderModifier" && requestHeaderModifier) {
    return { request: changesOf(requestHeaderModifier) };
  }
  if (filter.type === "ResponseHeaderModifier" && responseHeaderModifier) {
    return { response: changesOf(responseHeaderModifier) };
  }
  if (filter.type === "URLRewrite" && urlRewrite) {
    return { host: urlRewrite.hostname, path: pathChange(urlRewrite.path, context.prefix) };
  }
  if (filter.type === "RequestRedirect" && requestRedirect) {
    return { redirect: redirectOf(requestRedirect, context.prefix) };
  }
  if (filter.type === "CORS" && filter.cors) return { cors: corsOf(filter.cors) };
  if (filter.type === "RequestMirror" && filter.requestMirror) {
    const mirror = mirrorOf(filter.requestMirror, context);
    return mirror ? { mirrors: [...(before.mirrors ?? []), mirror] } : {};
  }
  const message = `filter ${filter.type} is not supported`;
  context.report(isFalse("Accepted", "UnsupportedValue", message));
  return {};
}

function changesOf({ set = [], add = [], remove = [] }: HeaderFilter): HeaderChanges {
  const pairs = (all: NonNullable<HeaderFilter["set"]>) =>
    all.map(({ name, value }) => [name.toLowerCase(), value] as const);
  return { set: pairs(set), add: pairs(add), remove: remove.map((name) => name.toLowerCase()) };
}

function pathChange(path: PathModifier | undefined, prefix: string): PathChange | undefined {
  if (!path) return undefined;
  return path.type === "ReplaceFullPath"
    ? { kind: "full", path: path.replaceFullPath ?? "/" }
    : { kind: "prefix", matched: prefix, path: path.replacePrefixMatch ?? "/" };
}

const redirectOf = (
  { scheme, hostname, port, path, statusCode = 302 }: RedirectFilter,
  prefix: string,
): Redirect => ({
  status: statusCode,
  scheme,
  host: hostname,
  port,
  path: pathChange(path, prefix),
});

function corsOf(cors: NonNullable<RouteFilter["cors"]>): Cors {
  return {
    origins: cors.allowOrigins ?? [],
    methods: cors.allowMethods ?? [],
    headers: cors.allowHeaders ?? [],
    exposed: cors.exposeHeaders ?? [],
    allowsCredentials: cors.allowCredentials === true,
    maxAgeSeconds: cors.maxAge ?? defaultMaxAge,
  };
}

function mirrorOf(
  { backendRef, percent, fraction }: MirrorFilter,
  { route, facts, report }: FilterContext,
): Mirror | undefined {
  const { ref, problem } = resolveRef(backendRef, route, facts);
  if (problem) report(problem);
  if (!ref) return undefined;
  const ofFraction = fraction && fraction.numerator / (fraction.denominator ?? 100);
  return { ref, part: ofFraction ?? (percent === undefined ? 1 : percent / 100) };
}
