import { logger } from "#/std/log/log.ts";
import type { Registry as Metrics } from "#/std/metrics/metrics.ts";
import { auditFailedAuthentication, auditRequests } from "./audit/audit-filter.ts";
import { type Audit, openAudit } from "./audit/open-audit.ts";
import { authenticate } from "./auth/authenticate.ts";
import { authorize } from "./auth/authorize.ts";
import { impersonationMetrics } from "./auth/base/authorization-metrics.ts";
import { authenticationMetrics, filterTimer } from "./auth/base/gate-metrics.ts";
import { impersonate } from "./auth/impersonate.ts";
import type { Egress } from "./egress/egress.ts";
import { openFairness } from "./fairness/open-fairness.ts";
import { consoleLogin } from "./flags/console.ts";
import type { ApiServerFlags } from "./flags/index.ts";
import { allowOrigins } from "./http/allow-origins.ts";
import { compress } from "./http/compress.ts";
import { answerErrors } from "./http/errors.ts";
import { limitTime } from "./http/limit-time.ts";
import { measureRequests } from "./http/measure-requests.ts";
import type { Paths } from "./http/paths.ts";
import { refuseNew } from "./http/refuse-new.ts";
import { serveConsole } from "./http/serve-console.ts";
import { standardHeaders } from "./http/standard-headers.ts";
import { strictTransport } from "./http/strict-transport.ts";
import type { TraceFilters } from "./http/trace-filters.ts";
import type { Authenticator } from "./model/authenticator.ts";
import type { Authorizer } from "./model/authorizer.ts";
import type { Filter } from "./model/exchange.ts";
import type { RequestMarks } from "./model/request-marks.ts";
import type { Registry } from "./registry/registry.ts";

/** Dependencies of the filters of a server. */
export interface FilterOptions {
  readonly flags: ApiServerFlags;
  readonly registry: Registry;
  readonly paths: Paths;
  readonly metrics: Metrics;
  readonly egress: Egress;
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  enabled(feature: string): boolean;
  readonly trace?: TraceFilters | undefined;
  /** The recorder of journeys. */
  readonly marks?: RequestMarks | undefined;
  /** Whether the server refuses new requests. */
  isStopping(): boolean;
}

/** Dependencies of a single filter. */
interface FilterServices extends FilterOptions {
  /** Undefined if auditing is off. */
  readonly audit: Audit | undefined;
  /** Closes a filter's resources when the server ends. */
  readonly closing: AsyncDisposableStack;
  /** Called once the server's own objects are stored. */
  onStart(start: () => void): void;
}

interface FilterDeclaration {
  /** Unique; upstream's name in metrics and traces if it has one. */
  readonly name: string;
  /** Reports its duration as a metric; "span" also as a span of the request's trace. */
  readonly reports?: "time" | "span";
  /** Undefined if flags turn it off. */
  open(services: FilterServices): Filter | undefined;
}

/**
 * The filters of a request, outermost first. To add one, write its file and list it here.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/config.go, DefaultBuildHandlerChain().
 */
const requestFilters: readonly FilterDeclaration[] = [
  { name: "metrics", open: measureRequests },
  { name: "headers", open: () => standardHeaders() },
  { name: "compression", open: () => compress() },
  { name: "errors", open: () => answerErrors(logger("apiserver")) },
  {
    name: "console",
    open: ({ flags }) => (flags.console ? serveConsole(consoleLogin(flags)) : undefined),
  },
  {
    name: "shutdown",
    open: ({ flags, isStopping }) =>
      flags["shutdown-send-retry-after"] ? refuseNew(isStopping) : undefined,
  },
  {
    name: "stricttransport",
    open: ({ flags: { "strict-transport-security-directives": directives } }) =>
      directives.length > 0 ? strictTransport(directives) : undefined,
  },
  {
    name: "origins",
    open: ({ flags: { "cors-allowed-origins": origins } }) =>
      origins.length > 0 ? allowOrigins(origins) : undefined,
  },
  {
    name: "timeout",
    open: ({ flags, registry, closing }) =>
      closing.use(limitTime(registry.clock, flags["request-timeout"])),
  },
  {
    name: "failedauthenticationaudit",
    open: ({ audit }) => audit && auditFailedAuthentication(audit),
  },
  { name: "journey", open: ({ marks }) => marks?.begin },
  {
    name: "authentication",
    reports: "time",
    open: ({ authenticators, enabled, metrics, registry }) =>
      authenticate(
        authenticators,
        enabled("UnauthenticatedHTTP2DOSMitigation"),
        authenticationMetrics(metrics, registry.clock),
      ),
  },
  { name: "journeyauthenticated", open: ({ marks }) => marks?.authenticated },
  { name: "tracing", open: ({ trace }) => trace?.request },
  { name: "audit", reports: "span", open: ({ audit }) => audit && auditRequests(audit) },
  {
    name: "constrainedimpersonation",
    reports: "span",
    open: ({ authorizer, registry, metrics }) =>
      impersonate(authorizer, registry.clock, impersonationMetrics(metrics, registry.clock)),
  },
  { name: "priorityandfairness", reports: "span", open: openFairness },
  { name: "authorization", reports: "span", open: ({ authorizer }) => authorize(authorizer) },
  { name: "journeyauthorized", open: ({ marks }) => marks?.authorized },
];

/** Changes for tests: which filters are used, by name, and replacements. */
interface FilterChanges {
  readonly only?: readonly string[];
  readonly instead?: Readonly<Record<string, Filter>>;
}

interface RequestFilters extends AsyncDisposable {
  readonly list: readonly Filter[];
  /** Follows the configuration in the store from now on. */
  start(): void;
}

/** Opens the filters that the flags enable, in order. */
export async function openFilters(
  options: FilterOptions,
  { only, instead = {} }: FilterChanges = {},
): Promise<RequestFilters> {
  const { flags, metrics, registry, trace } = options;
  await using opening = new AsyncDisposableStack();
  const closing = opening.use(new AsyncDisposableStack());
  const audit = closing.use((await openAudit(flags, registry.clock, options)) ?? null) ?? undefined;
  const starting: (() => void)[] = [];
  const onStart = (start: () => void) => void starting.push(start);
  const services: FilterServices = { ...options, audit, closing, onStart };
  const timed = filterTimer(metrics, registry.clock);
  const chosen = requestFilters.filter(({ name }) => !only || only.includes(name) || instead[name]);
  const list = chosen.flatMap(({ name, reports, open }) => {
    const filter = instead[name] ?? open(services);
    if (filter === undefined) return [];
    if (reports === undefined) return [filter];
    const measured = timed(name, filter);
    return [reports === "span" && trace ? trace.step(name, measured) : measured];
  });
  opening.move();
  return {
    list,
    start() {
      for (const begin of starting) begin();
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
