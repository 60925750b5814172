/** Upstream: sigs.k8s.io/gateway-api/apis/v1/gateway_types.go. */

import type { LabelSelector, ObjectMeta } from "#/api/meta/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import type {
  AllowedNamespaces,
  GatewayListener,
  ObjectReference,
} from "../api/gateway-objects.ts";
import { gatewayGroup } from "../api/gateway-resources.ts";
import { isFalse, isTrue, type PlainCondition } from "./condition.ts";
import type { MayRefer } from "./grants.ts";

/** What a listener needs to know of other objects. */
export interface ListenerFacts {
  readonly mayRefer: MayRefer;
  /** Why a Secret, as namespace/name, is no certificate; undefined if it is one. */
  readonly certificateProblem: (key: string) => string | undefined;
  readonly namespaceLabels: (name: string) => Readonly<Record<string, string>> | undefined;
}

/** The object that declares listeners: a Gateway or a ListenerSet. */
interface ListenerOwner {
  readonly kind: "Gateway" | "ListenerSet";
  readonly metadata: ObjectMeta;
  readonly listeners: readonly GatewayListener[];
}

/** A listener with its state. */
export interface PlannedListener {
  readonly spec: GatewayListener;
  /** That of the object that declares it. */
  readonly namespace: string;
  /** In lower case; "" for any. */
  readonly hostname: string;
  readonly kinds: readonly string[];
  /** The Secrets of its certificates, as namespace/name. */
  readonly certificates: readonly string[];
  readonly isPassthrough: boolean;
  readonly accepted: PlainCondition;
  readonly resolvedRefs: PlainCondition;
  readonly conflicted: PlainCondition;
  /** Whether it serves. */
  readonly isProgrammed: boolean;
}

const kindsOf: Readonly<Record<string, readonly string[]>> = {
  HTTP: ["HTTPRoute", "GRPCRoute"],
  HTTPS: ["HTTPRoute", "GRPCRoute"],
  TLS: ["TLSRoute"],
};

/** The listeners of an object; pure. Listeners of the same gateway that count before them win conflicts. */
export function listenersOf(
  owner: ListenerOwner,
  before: readonly PlannedListener[],
  facts: ListenerFacts,
): PlannedListener[] {
  const earlier = before
    .filter(({ conflicted }) => conflicted.status !== "True")
    .map(({ spec }) => spec);
  const lost = new Map(owner.listeners.map((spec) => [spec.name, conflictOf(spec, earlier)]));
  const rest = owner.listeners.filter(({ name }) => !lost.get(name));
  return owner.listeners.map((spec) => {
    const offered = kindsOf[spec.protocol];
    const { kinds, isInvalid } = allowedKinds(spec, offered ?? []);
    const certificates = planCertificates(owner, spec, facts);
    const others = rest.filter(({ name }) => name !== spec.name);
    const conflict = lost.get(spec.name) ?? conflictOf(spec, others);
    const resolvedRefs =
      certificates.problem ??
      (isInvalid
        ? isFalse("ResolvedRefs", "InvalidRouteKinds", "a kind of route is not supported")
        : isTrue("ResolvedRefs", "ResolvedRefs", "all references are resolved"));
    const accepted = acceptedOf(spec, conflict, certificates.isInvalid);
    const serves = accepted.status === "True" && !certificates.problem && kinds.length > 0;
    return {
      spec,
      namespace: owner.metadata.namespace ?? "",
      hostname: (spec.hostname ?? "").toLowerCase(),
      kinds,
      certificates: certificates.keys,
      isPassthrough: spec.protocol === "TLS" && spec.tls?.mode === "Passthrough",
      accepted,
      resolvedRefs,
      conflicted:
        conflict ?? isFalse("Conflicted", "NoConflicts", "no other listener is in conflict"),
      isProgrammed: serves,
    };
  });
}

function acceptedOf(
  { protocol, tls }: GatewayListener,
  conflict: PlainCondition | undefined,
  isInvalid: boolean,
): PlainCondition {
  if (conflict) return isFalse("Accepted", conflict.reason, conflict.message);
  if (!kindsOf[protocol]) {
    return isFalse("Accepted", "UnsupportedProtocol", `protocol ${protocol} is not supported`);
  }
  if (protocol === "HTTPS" && tls?.mode === "Passthrough") {
    return isFalse("Accepted", "Invalid", "HTTPS is always terminated");
  }
  if (isInvalid) return isFalse("Accepted", "Invalid", "a listener with TLS needs a certificate");
  return isTrue("Accepted", "Accepted", "the listener is valid");
}

function allowedKinds({ allowedRoutes }: GatewayListener, offered: readonly string[]) {
  const wanted = allowedRoutes?.kinds ?? [];
  if (wanted.length === 0) return { kinds: offered, isInvalid: false };
  const known = wanted.filter(
    ({ group = gatewayGroup, kind }) => group === gatewayGroup && offered.includes(kind),
  );
  return { kinds: known.map(({ kind }) => kind), isInvalid: known.length < wanted.length };
}

/** Listeners of one port must differ in their names, and speak the same below HTTP. */
function conflictOf(
  spec: GatewayListener,
  all: readonly GatewayListener[],
): PlainCondition | undefined {
  const others = all.filter((one) => one.port === spec.port);
  const isSecure = spec.protocol !== "HTTP";
  const samePort = `port ${spec.port}`;
  const other = others.find(
    (one) =>
      (one.protocol !== "HTTP") !== isSecure ||
      (one.protocol !== spec.protocol && (one.hostname ?? "") === (spec.hostname ?? "")),
  );
  if (other) {
    const message = `${samePort} is that of listener ${other.name}, too, with ${other.protocol}`;
    return isTrue("Conflicted", "ProtocolConflict", message);
  }
  const twin = others.find(({ hostname = "" }) => hostname === (spec.hostname ?? ""));
  if (!twin) return undefined;
  const message = `${samePort} and hostname are those of listener ${twin.name}, too`;
  return isTrue("Conflicted", "HostnameConflict", message);
}

interface CertificatePlan {
  readonly keys: readonly string[];
  readonly problem?: PlainCondition | undefined;
  readonly isInvalid: boolean;
}

function planCertificates(
  owner: ListenerOwner,
  { protocol, tls }: GatewayListener,
  facts: ListenerFacts,
): CertificatePlan {
  const isTerminated = protocol === "HTTPS" || (protocol === "TLS" && tls?.mode !== "Passthrough");
  if (!isTerminated) return { keys: [], isInvalid: false };
  const refs = tls?.certificateRefs ?? [];
  if (refs.length === 0) {
    return {
      keys: [],
      problem: isFalse("ResolvedRefs", "InvalidCertificateRef", "there is no certificate"),
      isInvalid: false,
    };
  }
  const resolved = refs.map((ref) => resolveCertificate(owner, ref, facts));
  const keys = resolved.flatMap(({ key }) => key ?? []);
  const problem = resolved.find((one) => one.problem)?.problem;
  return { keys, problem, isInvalid: false };
}

function resolveCertificate(
  { kind: referrer, metadata }: ListenerOwner,
  { group = "", kind = "Secret", name, namespace }: ObjectReference,
  { mayRefer, certificateProblem }: ListenerFacts,
): { key?: string; problem?: PlainCondition } {
  const own = metadata.namespace ?? "";
  const key = `${namespace ?? own}/${name}`;
  const invalid = (message: string) => ({
    problem: isFalse("ResolvedRefs", "InvalidCertificateRef", message),
  });
  if (group !== "" || kind !== "Secret") return invalid(`${kind} ${name} is not a Secret`);
  const from = { group: gatewayGroup, kind: referrer, namespace: own };
  if (!mayRefer(from, { group, kind, namespace: namespace ?? own, name })) {
    const message = `no ReferenceGrant permits a reference to Secret ${key}`;
    return { problem: isFalse("ResolvedRefs", "RefNotPermitted", message) };
  }
  const problem = certificateProblem(key);
  return problem === undefined ? { key } : invalid(problem);
}

/** Whether routes of a namespace may attach to a listener. */
export const allowsRoutes = (
  { spec, namespace: own }: PlannedListener,
  namespace: string,
  facts: ListenerFacts,
): boolean => allowsNamespace(spec.allowedRoutes?.namespaces, "Same", own, namespace, facts);

/** Whether objects of a namespace may attach to one of another namespace. */
export function allowsNamespace(
  allowed: AllowedNamespaces | undefined,
  standard: "Same" | "None",
  own: string,
  namespace: string,
  { namespaceLabels }: Pick<ListenerFacts, "namespaceLabels">,
): boolean {
  const { from = standard, selector } = allowed ?? {};
  if (from === "All") return true;
  if (from === "Same") return namespace === own;
  if (from !== "Selector" || !selector) return false;
  const labels = namespaceLabels(namespace);
  return labels !== undefined && selects(selector, labels);
}

/** Whether a selector selects labels; an invalid one selects nothing. */
function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  try {
    return compileLabelSelector(selector).matches(labels);
  } catch {
    return false;
  }
}
