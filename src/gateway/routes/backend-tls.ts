/** Upstream: sigs.k8s.io/gateway-api/apis/v1/backendtlspolicy_types.go. */
import { createHash } from "node:crypto";
import type { Service } from "#/api/core/v1.ts";
import type { BackendTlsPolicy, ObjectReference } from "../api/gateway-objects.ts";
import type { BackendName, BackendTls } from "../table/backend-tls.ts";
import { isFalse, isTrue, type PlainCondition } from "./condition.ts";
import { byAge } from "./listener-sets.ts";

/** What policies are resolved with. */
export interface TlsFacts {
  readonly service: (namespace: string, name: string) => Service | undefined;
  /** The certificates of a ConfigMap, or why there are none. */
  readonly authorities: (
    namespace: string,
    name: string,
  ) => { readonly pem: string } | { readonly problem: string };
}

/** What a policy means for a Service, or for one of its ports. */
interface TlsTarget {
  /** The name of the port; "" for all that have no policy of their own. */
  readonly port: string;
  /** Undefined: the policy can't be met, so nothing may connect. */
  readonly tls: BackendTls | undefined;
}

/** A policy with what is made of it. */
export interface PlannedPolicy {
  readonly policy: BackendTlsPolicy;
  /** The Services that it names, as "namespace/name". */
  readonly services: readonly string[];
  readonly accepted: PlainCondition;
  readonly resolvedRefs: PlainCondition;
}

export interface BackendTlsPlan {
  /** By "namespace/name" of the Service. */
  readonly targets: ReadonlyMap<string, readonly TlsTarget[]>;
  readonly policies: readonly PlannedPolicy[];
}

/** What policies say of the ports of Services; pure. The oldest one counts. */
export function planBackendTls(
  policies: readonly BackendTlsPolicy[],
  facts: TlsFacts,
): BackendTlsPlan {
  const targets = new Map<string, TlsTarget[]>();
  const planned = policies.toSorted(byAge).map((policy): PlannedPolicy => {
    const { tls, accepted, resolvedRefs } = resolvePolicy(policy, facts);
    const { services, problem } = addTargets(targets, policy, tls, facts);
    return { policy, services, accepted: problem ?? accepted, resolvedRefs };
  });
  return { targets, policies: planned };
}

/** What a policy says of a port of a Service; undefined if there is none. */
export function findTls(
  { targets }: BackendTlsPlan,
  service: string,
  port: string,
): TlsTarget | undefined {
  const own = targets.get(service);
  return own?.find((one) => one.port === port && port !== "") ?? own?.find((one) => !one.port);
}

/** The Services whose connections are made in another way than before. */
export function changedTls(before: BackendTlsPlan, after: BackendTlsPlan): string[] {
  const textOf = (targets: readonly TlsTarget[] | undefined): string =>
    JSON.stringify(targets?.map(({ port, tls }) => [port, tls?.key]));
  return [...new Set([...before.targets.keys(), ...after.targets.keys()])].filter(
    (service) => textOf(before.targets.get(service)) !== textOf(after.targets.get(service)),
  );
}

/** Adds what a policy says of its targets, unless an older one does. */
function addTargets(
  targets: Map<string, TlsTarget[]>,
  { metadata, spec }: BackendTlsPolicy,
  tls: BackendTls | undefined,
  { service }: TlsFacts,
): { readonly services: string[]; readonly problem: PlainCondition | undefined } {
  const { namespace = "" } = metadata;
  const services = new Set<string>();
  const problems: PlainCondition[] = [];
  const failed = (reason: string, message: string): void =>
    void problems.push(isFalse("Accepted", reason, message));
  for (const { group = "", kind = "Service", name, sectionName: port = "" } of spec.targetRefs) {
    if (group !== "" || kind !== "Service") continue;
    const key = `${namespace}/${name}`;
    services.add(key);
    const found = service(namespace, name);
    const own = targets.get(key) ?? [];
    if (!found) failed("TargetNotFound", `Service ${key} does not exist`);
    else if (port && !found.spec.ports?.some((one) => one.name === port)) {
      failed("TargetNotFound", `Service ${key} has no port ${port}`);
    } else if (own.some((one) => one.port === port)) {
      failed("Conflicted", `an older policy is for Service ${key}${port && `, port ${port}`}`);
    } else targets.set(key, [...own, { port, tls }]);
  }
  return { services: [...services], problem: problems[0] };
}

/** A policy whose references are not all good is met by those that are. */
function resolvePolicy(
  { metadata, spec: { validation } }: BackendTlsPolicy,
  { authorities }: TlsFacts,
) {
  const resolvedRefs = isTrue("ResolvedRefs", "ResolvedRefs", "all references are resolved");
  const accepted = isTrue("Accepted", "Accepted", "the policy is valid");
  const refs = validation.caCertificateRefs ?? [];
  const wellKnown = validation.wellKnownCACertificates ?? "";
  if (refs.length === 0) {
    if (wellKnown === "System") {
      return { accepted, resolvedRefs, tls: tlsOf(validation, undefined) };
    }
    const message = `well-known certificates "${wellKnown}" are not known here`;
    return { accepted: isFalse("Accepted", "Invalid", message), resolvedRefs, tls: undefined };
  }
  const found = refs.map((ref) => resolveAuthorities(metadata.namespace ?? "", ref, authorities));
  const pem = found.flatMap((one) => one.pem ?? []);
  const problem = found.find((one) => one.problem)?.problem;
  const noneMessage = `there is no certificate of an authority: ${problem?.message}`;
  return {
    accepted: pem.length > 0 ? accepted : isFalse("Accepted", "NoValidCACertificate", noneMessage),
    resolvedRefs: problem ?? resolvedRefs,
    tls: pem.length > 0 ? tlsOf(validation, pem.join("\n")) : undefined,
  };
}

function resolveAuthorities(
  namespace: string,
  { group = "", kind = "ConfigMap", name }: ObjectReference,
  authorities: TlsFacts["authorities"],
): { readonly pem?: string; readonly problem?: PlainCondition } {
  const failed = (reason: string, message: string) => ({
    problem: isFalse("ResolvedRefs", reason, message),
  });
  if (group !== "" || kind !== "ConfigMap") {
    return failed("InvalidKind", `${kind} ${name} is not a ConfigMap`);
  }
  const found = authorities(namespace, name);
  return "pem" in found ? found : failed("InvalidCACertificateRef", found.problem);
}

function tlsOf(
  { hostname, subjectAltNames = [] }: BackendTlsPolicy["spec"]["validation"],
  authorities: string | undefined,
): BackendTls {
  const names = subjectAltNames.map(
    ({ hostname: host = "", uri = "" }): BackendName =>
      uri ? { kind: "uri", uri } : { kind: "host", host },
  );
  const tls = {
    serverName: hostname,
    names: names.length > 0 ? names : [{ kind: "host", host: hostname } as const],
    authorities,
  };
  return { ...tls, key: createHash("sha256").update(JSON.stringify(tls)).digest("hex") };
}
