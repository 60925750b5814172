import type {
  BackendTlsPolicy,
  Gateway,
  GatewayClass,
  GrpcRoute,
  HttpRoute,
  ListenerSet,
  ReferenceGrant,
  Route,
  TlsRoute,
} from "../api/gateway-objects.ts";
import {
  buildRouteTable,
  type HostRule,
  type RouteTable,
  type Target,
} from "../table/route-table.ts";
import type { WeightedBackend } from "../table/route-target.ts";
import { type Attachment, attach, type PlannedParent, parentsOf } from "./attachments.ts";
import type { BackendFacts } from "./backend-refs.ts";
import { type BackendTlsPlan, planBackendTls, type TlsFacts } from "./backend-tls.ts";
import { isTrue, type PlainCondition } from "./condition.ts";
import { grantsOf } from "./grants.ts";
import { byAge, type PlannedGateway, planListeners, setsByGateway } from "./listener-sets.ts";
import type { ListenerFacts, PlannedListener } from "./listeners.ts";
import { namesOf, servicesOf, type UsedBy } from "./policy-status.ts";
import { grpcRules, httpRules, type PlannedRules, tlsBackends } from "./rules.ts";

/** The objects of the Gateway API, and what is asked about others. */
export interface GatewayApiInput {
  readonly controllerName: string;
  readonly classes: readonly GatewayClass[];
  readonly gateways: readonly Gateway[];
  readonly listenerSets: readonly ListenerSet[];
  readonly httpRoutes: readonly HttpRoute[];
  readonly grpcRoutes: readonly GrpcRoute[];
  readonly tlsRoutes: readonly TlsRoute[];
  readonly grants: readonly ReferenceGrant[];
  readonly tlsPolicies: readonly BackendTlsPolicy[];
  readonly facts: Omit<ListenerFacts & BackendFacts & TlsFacts, "mayRefer">;
}

/** What a listener serves. */
export interface Site {
  readonly listener: PlannedListener;
  readonly table: RouteTable;
  /** Connections are joined with backends by the name that a client asks for. */
  readonly streams: ReadonlyMap<string, readonly WeightedBackend[]>;
}

/** A port of a gateway. */
export interface PlannedPort {
  readonly isSecure: boolean;
  /** By hostname: "" for any, "*.example.com" for those below it. */
  readonly sites: ReadonlyMap<string, Site>;
}

export interface ServedGateway extends PlannedGateway {
  readonly ports: ReadonlyMap<number, PlannedPort>;
  /** Number of attached routes. */
  readonly attached: ReadonlyMap<PlannedListener, number>;
}

type RouteKind = "HTTPRoute" | "GRPCRoute" | "TLSRoute";

/** A route with what is made of it. */
export interface ServedRoute {
  readonly kind: RouteKind;
  readonly route: Route;
  readonly parents: readonly (PlannedParent & { readonly resolvedRefs: PlainCondition })[];
}

export interface GatewayApiPlan {
  readonly classes: readonly GatewayClass[];
  readonly gateways: readonly ServedGateway[];
  readonly routes: readonly ServedRoute[];
  readonly backendTls: BackendTlsPlan;
  readonly usedBy: UsedBy;
}

const noRoute: Target = { kind: "reply", status: 404, text: "no route for this host and path\n" };

interface PlannedRoute {
  readonly served: ServedRoute;
  readonly planned: PlannedRules;
  readonly streams: readonly WeightedBackend[];
}

/** What the Gateway API's objects mean; pure. */
export function planGatewayApi(input: GatewayApiInput): GatewayApiPlan {
  const facts = { ...input.facts, mayRefer: grantsOf(input.grants) };
  const classes = input.classes.filter(({ spec }) => spec.controllerName === input.controllerName);
  const names = new Set(classes.map(({ metadata }) => metadata.name));
  const own = input.gateways.filter(({ spec }) => names.has(spec.gatewayClassName));
  const sets = setsByGateway(input.listenerSets);
  const gateways = own.map((gateway) => {
    const key = `${gateway.metadata.namespace}/${gateway.metadata.name}`;
    return planListeners(gateway, sets.get(key) ?? [], facts);
  });
  const routes = planRoutes(input, gateways, facts);
  return {
    classes,
    gateways: gateways.map((gateway) => serveGatewayOf(gateway, routes)),
    routes: routes.map(({ served }) => served),
    backendTls: planBackendTls(input.tlsPolicies, facts),
    usedBy: usedByOf(routes),
  };
}

/** The gateways of the routes that lead to a Service. */
function usedByOf(routes: readonly PlannedRoute[]): UsedBy {
  const usedBy = new Map<string, Set<Gateway>>();
  for (const { served, planned, streams } of routes) {
    const attachments = served.parents.flatMap((parent) => parent.attachments);
    const terminated = attachments.some(({ listener }) => !listener.isPassthrough);
    const services = planned.rules.flatMap(({ target }) =>
      target.kind === "route" ? servicesOf(target) : [],
    );
    for (const name of [...services, ...(terminated ? namesOf(streams) : [])]) {
      const gateways = usedBy.get(name) ?? new Set();
      usedBy.set(name, gateways);
      for (const { gateway } of attachments) gateways.add(gateway);
    }
  }
  return usedBy;
}

/** All routes with a gateway of ours, the oldest first. */
function planRoutes(
  { httpRoutes, grpcRoutes, tlsRoutes }: GatewayApiInput,
  gateways: readonly PlannedGateway[],
  facts: ListenerFacts & BackendFacts,
): PlannedRoute[] {
  const known = parentsOf(gateways);
  const none: PlannedRules = { rules: [], problems: [] };
  const plan = <Rule>(
    kind: RouteKind,
    routes: readonly Route<Rule>[],
    make: (
      rules: readonly Rule[],
      identity: { kind: string; namespace: string },
    ) => {
      planned: PlannedRules;
      streams?: readonly WeightedBackend[];
    },
  ): PlannedRoute[] =>
    routes.toSorted(byAge).flatMap((route) => {
      const parents = attach(kind, route, known, facts);
      if (parents.length === 0) return [];
      const namespace = route.metadata.namespace ?? "";
      const { planned, streams = [] } = make(route.spec.rules ?? [], { kind, namespace });
      return [{ served: { kind, route, parents: judged(parents, planned) }, planned, streams }];
    });
  return [
    ...plan("HTTPRoute", httpRoutes, (rules, id) => ({ planned: httpRules(rules, id, facts) })),
    ...plan("GRPCRoute", grpcRoutes, (rules, id) => ({ planned: grpcRules(rules, id, facts) })),
    ...plan("TLSRoute", tlsRoutes, (rules, id) => {
      const { backends, problems } = tlsBackends(rules, id, facts);
      return { planned: { ...none, problems }, streams: backends };
    }),
  ];
}

/** Parents with the deficiencies of the route itself. */
function judged(
  parents: readonly PlannedParent[],
  { problems }: PlannedRules,
): ServedRoute["parents"] {
  const ofRefs = problems.find(({ type }) => type === "ResolvedRefs");
  const ofRoute = problems.find(({ type }) => type === "Accepted");
  const resolved = isTrue("ResolvedRefs", "ResolvedRefs", "all references are resolved");
  return parents.map((parent) => ({
    ...parent,
    accepted: parent.accepted.status === "True" && ofRoute ? ofRoute : parent.accepted,
    attachments: ofRoute ? [] : parent.attachments,
    resolvedRefs: ofRefs ?? resolved,
  }));
}

interface AttachedRoute extends PlannedRoute {
  readonly hostnames: readonly string[];
}

function serveGatewayOf(planned: PlannedGateway, routes: readonly PlannedRoute[]): ServedGateway {
  const { gateway, listeners, sets } = planned;
  const attached = new Map<PlannedListener, AttachedRoute[]>();
  for (const route of routes) {
    const own = route.served.parents
      .flatMap(({ attachments }) => attachments)
      .filter((one) => one.gateway === gateway);
    for (const [listener, all] of Map.groupBy(own, (one) => one.listener)) {
      const hostnames = [...new Set(all.flatMap((one: Attachment) => one.hostnames))];
      const found = attached.get(listener) ?? [];
      attached.set(listener, found);
      found.push({ ...route, hostnames });
    }
  }
  const every = [...listeners, ...sets.flatMap((set) => set.listeners)];
  const serving = every.filter(({ isProgrammed }) => isProgrammed);
  const ports = [...Map.groupBy(serving, ({ spec }) => spec.port)].map(
    ([port, all]): [number, PlannedPort] => [
      port,
      {
        isSecure: all.some(({ spec }) => spec.protocol !== "HTTP"),
        sites: new Map(all.map((one) => [one.hostname, siteOf(one, attached.get(one) ?? [])])),
      },
    ],
  );
  const counts = [...attached].map(([one, all]): [PlannedListener, number] => [one, all.length]);
  return { ...planned, ports: new Map(ports), attached: new Map(counts) };
}

function siteOf(listener: PlannedListener, routes: readonly AttachedRoute[]): Site {
  const rules = routes.flatMap(({ planned, hostnames }) =>
    hostnames.flatMap((host) => planned.rules.map((rule): HostRule => ({ ...rule, host }))),
  );
  const streams = new Map<string, readonly WeightedBackend[]>();
  for (const { streams: backends, hostnames, served } of routes) {
    if (served.kind !== "TLSRoute") continue;
    for (const host of hostnames) if (!streams.has(host)) streams.set(host, backends);
  }
  return { listener, table: buildRouteTable(rules, noRoute, "any labels"), streams };
}
