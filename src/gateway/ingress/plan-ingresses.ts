import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressClass,
} from "#/api/networking/v1.ts";
import { compareText } from "#/std/text/compare-text.ts";
import {
  buildRouteTable,
  type HostRule,
  type RouteTable,
  type Target,
} from "../table/route-table.ts";

/** The name by which an IngressClass selects this gateway. */
export const controllerName = "k8ts.dev/gateway";

/** A deficiency of an Ingress that its owner should know. */
export interface Problem {
  readonly ingress: Ingress;
  readonly reason: string;
  readonly message: string;
}

/** The Secrets with the certificates of hosts, as namespace/name. */
export interface CertificatePlan {
  /** By host, which may be a wildcard. */
  readonly hosts: ReadonlyMap<string, string>;
  /** For all other hosts; undefined if no Ingress has one. */
  readonly fallback: string | undefined;
}

export interface IngressPlan {
  readonly table: RouteTable;
  readonly certificates: CertificatePlan;
  readonly problems: readonly Problem[];
  /** The Ingresses of this gateway, the oldest first. */
  readonly own: readonly Ingress[];
}

/** The objects of the cluster that routes are made of. */
export interface PlanInput {
  readonly ingresses: readonly Ingress[];
  readonly classes: readonly IngressClass[];
  /** Services of type LoadBalancer with a TCP port, which have a name of their own below the local domain. */
  readonly balancers: readonly { namespace: string; name: string; port: number }[];
  /** The domain of names for a developer's browser; "" for none. */
  readonly localDomain: string;
}

const noRoute: Target = { kind: "reply", status: 404, text: "no route for this host and path\n" };

/** The routes of all Ingresses of this gateway; pure. Of conflicting rules, those of the oldest Ingress count. */
export function planIngresses(input: PlanInput): IngressPlan {
  const own = ownIngresses(input).sort(byAge);
  const problems: Problem[] = [];
  const rules: HostRule[] = [];
  let fallback: Target | undefined;
  for (const ingress of own) {
    const planned = planIngress(ingress, problems);
    rules.push(...planned.rules);
    fallback ??= planned.fallback;
    rules.push(...localRules(ingress, planned, input.localDomain));
  }
  rules.push(...balancerRules(input));
  return {
    table: buildRouteTable(rules, fallback ?? noRoute),
    certificates: planCertificates(own),
    problems,
    own,
  };
}

function ownIngresses({ ingresses, classes }: PlanInput): Ingress[] {
  const names = new Set(
    classes
      .filter(({ spec }) => spec?.controller === controllerName)
      .map(({ metadata }) => metadata.name),
  );
  return ingresses.filter(({ metadata, spec }) => {
    const annotation = metadata.annotations?.["kubernetes.io/ingress.class"];
    const name = spec?.ingressClassName ?? annotation;
    return name !== undefined && names.has(name) && !metadata.deletionTimestamp;
  });
}

const byAge = ({ metadata: a }: Ingress, { metadata: b }: Ingress): number =>
  compareText(a.creationTimestamp ?? "", b.creationTimestamp ?? "") ||
  compareText(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`);

interface PlannedIngress {
  readonly rules: readonly HostRule[];
  readonly fallback: Target | undefined;
}

function planIngress(ingress: Ingress, problems: Problem[]): PlannedIngress {
  const report = (reason: string, message: string): void =>
    void problems.push({ ingress, reason, message });
  const { defaultBackend, rules = [] } = ingress.spec ?? {};
  const fallback = defaultBackend && targetOf(ingress, defaultBackend, report);
  const hostRules = (rules ?? []).flatMap(({ host = "", http }): HostRule[] => {
    const paths = http?.paths ?? [];
    // A host without paths leads to the default backend.
    const planned = paths.map((path) => ({ host, ...planPath(ingress, path, report) }));
    if (planned.length > 0 || !fallback) return planned;
    return [{ host, match: "Prefix", path: "", target: fallback }];
  });
  return { rules: hostRules, fallback };
}

type Report = (reason: string, message: string) => void;

function planPath(
  ingress: Ingress,
  { path = "", pathType, backend }: HTTPIngressPath,
  report: Report,
): Omit<HostRule, "host"> {
  const match = pathType === "Exact" ? "Exact" : "Prefix";
  return { match, path: path || "/", target: targetOf(ingress, backend, report) };
}

function targetOf(ingress: Ingress, backend: IngressBackend, report: Report): Target {
  const { service, resource } = backend;
  if (service) {
    const { namespace = "" } = ingress.metadata;
    const port = service.port?.name || service.port?.number || 0;
    return { kind: "backend", namespace, service: service.name, port };
  }
  const { kind = "", name = "" } = resource ?? {};
  report(
    "UnsupportedBackend",
    `backend ${kind} ${name} is not a Service: resource backends are not supported`,
  );
  return { kind: "reply", status: 503, text: "the backend is not a Service\n" };
}

/** The same rules below the local domain, at the name of the Ingress: for a browser, which finds it without DNS. */
function localRules(
  { metadata: { name = "", namespace = "" } }: Ingress,
  { rules, fallback }: PlannedIngress,
  domain: string,
): HostRule[] {
  if (domain === "") return [];
  const host = `${name}.${namespace}.${domain}`;
  const shared = rules.toSorted((a, b) => Number(a.host !== "") - Number(b.host !== ""));
  const own = shared.map((rule) => ({ ...rule, host }));
  return fallback ? [...own, { host, match: "Prefix", path: "", target: fallback }] : own;
}

function balancerRules({ balancers, localDomain }: PlanInput): HostRule[] {
  if (localDomain === "") return [];
  return balancers.map(({ namespace, name, port }) => ({
    host: `${name}.${namespace}.${localDomain}`,
    match: "Prefix",
    path: "",
    target: { kind: "backend", namespace, service: name, port },
  }));
}

function planCertificates(own: readonly Ingress[]): CertificatePlan {
  const hosts = new Map<string, string>();
  let fallback: string | undefined;
  for (const { metadata, spec } of own) {
    for (const { hosts: named, secretName } of spec?.tls ?? []) {
      if (!secretName) continue;
      const secret = `${metadata.namespace}/${secretName}`;
      // Without hosts it is for all that the Ingress serves, and for clients that name none.
      const chosen = named?.length ? named : (spec?.rules ?? []).flatMap(({ host }) => host ?? []);
      if (!named?.length) fallback ??= secret;
      for (const host of chosen) if (!hosts.has(host)) hosts.set(host, secret);
    }
  }
  return { hosts, fallback };
}
