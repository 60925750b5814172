/** Upstream: sigs.k8s.io/gateway-api/apis/v1/shared_types.go. */
import type { Gateway, ListenerSet, ParentReference, Route } from "../api/gateway-objects.ts";
import { gatewayGroup } from "../api/gateway-resources.ts";
import { isFalse, isTrue, type PlainCondition } from "./condition.ts";
import { commonHostnames } from "./hostnames.ts";
import type { PlannedGateway } from "./listener-sets.ts";
import { allowsRoutes, type ListenerFacts, type PlannedListener } from "./listeners.ts";

/** The parents of routes, by kind and then by "namespace/name". */
type Parents = Readonly<Record<string, ReadonlyMap<string, RouteParent>>>;

/** A Gateway or a ListenerSet: routes attach to its own listeners. */
interface RouteParent {
  readonly kind: "gateway" | "set";
  readonly gateway: Gateway;
  readonly listeners: readonly PlannedListener[];
}

/** A route at a listener, with the names for which it counts there. */
export interface Attachment {
  readonly gateway: Gateway;
  readonly listener: PlannedListener;
  readonly hostnames: readonly string[];
}

/** What a parent that a route names makes of it. */
export interface PlannedParent {
  readonly ref: ParentReference;
  readonly accepted: PlainCondition;
  readonly attachments: readonly Attachment[];
}

/** What routes may have as parents. */
export function parentsOf(gateways: readonly PlannedGateway[]): Parents {
  const keyOf = ({ metadata }: Gateway | ListenerSet): string =>
    `${metadata.namespace}/${metadata.name}`;
  const ofGateways = gateways.map(({ gateway, listeners }): [string, RouteParent] => [
    keyOf(gateway),
    { kind: "gateway", gateway, listeners },
  ]);
  const ofSets = gateways.flatMap(({ gateway, sets }) =>
    sets.map(({ set, listeners }): [string, RouteParent] => [
      keyOf(set),
      { kind: "set", gateway, listeners },
    ]),
  );
  return { Gateway: new Map(ofGateways), ListenerSet: new Map(ofSets) };
}

/** The parents of a route that are gateways of ours; pure. */
export function attach(
  kind: string,
  route: Route,
  parents: Parents,
  facts: ListenerFacts,
): PlannedParent[] {
  const { namespace = "" } = route.metadata;
  return (route.spec.parentRefs ?? []).flatMap((ref) => {
    if ((ref.group ?? gatewayGroup) !== gatewayGroup) return [];
    const parent = parents[ref.kind ?? "Gateway"]?.get(`${ref.namespace ?? namespace}/${ref.name}`);
    return parent ? [attachTo(parent, ref, kind, route, facts)] : [];
  });
}

function attachTo(
  { kind: parentKind, gateway, listeners }: RouteParent,
  ref: ParentReference,
  kind: string,
  route: Route,
  facts: ListenerFacts,
): PlannedParent {
  const refused = (reason: string, message: string): PlannedParent => ({
    ref,
    accepted: isFalse("Accepted", reason, message),
    attachments: [],
  });
  const named = listeners.filter(
    ({ spec }) =>
      (!ref.sectionName || spec.name === ref.sectionName) && (!ref.port || spec.port === ref.port),
  );
  if (named.length === 0) {
    return refused("NoMatchingParent", `the ${parentKind} has no listener of this name and port`);
  }
  const { namespace = "" } = route.metadata;
  const allowed = named.filter(
    (listener) => listener.kinds.includes(kind) && allowsRoutes(listener, namespace, facts),
  );
  if (allowed.length === 0) {
    return refused("NotAllowedByListeners", "no listener allows routes of this kind and namespace");
  }
  const attachments = allowed.flatMap((listener): Attachment[] => {
    const hostnames = commonHostnames(listener.hostname, route.spec.hostnames ?? []);
    return hostnames.length > 0 ? [{ gateway, listener, hostnames }] : [];
  });
  if (attachments.length === 0) {
    return refused("NoMatchingListenerHostname", "no listener has one of the route's hostnames");
  }
  return { ref, accepted: isTrue("Accepted", "Accepted", "the route is attached"), attachments };
}
