/** Upstream: sigs.k8s.io/gateway-api/apis/v1/listenerset_types.go. */
import { compareText } from "#/std/text/compare-text.ts";
import type { Gateway, ListenerSet } from "../api/gateway-objects.ts";
import { gatewayGroup } from "../api/gateway-resources.ts";
import { isFalse, isTrue, type PlainCondition } from "./condition.ts";
import {
  allowsNamespace,
  type ListenerFacts,
  listenersOf,
  type PlannedListener,
} from "./listeners.ts";

/** A ListenerSet whose parent is a gateway of ours. */
export interface PlannedListenerSet {
  readonly set: ListenerSet;
  /** None if the gateway does not allow the set. */
  readonly listeners: readonly PlannedListener[];
  readonly accepted: PlainCondition;
}

/** A gateway with its listeners, and those of the sets that are attached to it. */
export interface PlannedGateway {
  readonly gateway: Gateway;
  readonly listeners: readonly PlannedListener[];
  readonly sets: readonly PlannedListenerSet[];
}

/** Sets by "namespace/name" of the gateway that they name, the oldest first. */
export function setsByGateway(sets: readonly ListenerSet[]): Map<string, ListenerSet[]> {
  const known = sets.filter(({ spec: { parentRef } }) => {
    const { group = gatewayGroup, kind = "Gateway" } = parentRef;
    return group === gatewayGroup && kind === "Gateway";
  });
  return Map.groupBy(known.toSorted(byAge), ({ metadata, spec: { parentRef } }) =>
    [parentRef.namespace ?? metadata.namespace, parentRef.name].join("/"),
  );
}

/** The older of two objects counts more, then the first by name. */
export const byAge = (
  { metadata: a }: Pick<Gateway, "metadata">,
  { metadata: b }: Pick<Gateway, "metadata">,
): number =>
  compareText(a.creationTimestamp ?? "", b.creationTimestamp ?? "") ||
  compareText(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`);

/** The listeners of a gateway and of its sets; pure. */
export function planListeners(
  gateway: Gateway,
  sets: readonly ListenerSet[],
  facts: ListenerFacts,
): PlannedGateway {
  const { metadata, spec } = gateway;
  const owner = { kind: "Gateway", metadata, listeners: spec.listeners ?? [] } as const;
  const listeners = listenersOf(owner, [], facts);
  const all = [...listeners];
  const planned = sets.map((set): PlannedListenerSet => {
    if (!allowsSet(gateway, set, facts)) {
      const message = "the gateway allows no ListenerSet of this namespace";
      return { set, listeners: [], accepted: isFalse("Accepted", "NotAllowed", message) };
    }
    const own = listenersOf(
      { kind: "ListenerSet", metadata: set.metadata, listeners: set.spec.listeners ?? [] },
      all,
      facts,
    );
    all.push(...own);
    return { set, listeners: own, accepted: acceptedOf(own) };
  });
  return { gateway, listeners, sets: planned };
}

const allowsSet = ({ metadata, spec }: Gateway, set: ListenerSet, facts: ListenerFacts): boolean =>
  allowsNamespace(
    spec.allowedListeners?.namespaces,
    "None",
    metadata.namespace ?? "",
    set.metadata.namespace ?? "",
    facts,
  );

/** A set is accepted if it has a listener that serves. */
function acceptedOf(listeners: readonly PlannedListener[]): PlainCondition {
  const valid = listeners.filter(({ isProgrammed }) => isProgrammed).length;
  if (valid === listeners.length) return isTrue("Accepted", "Accepted", "the listeners are valid");
  const message = `${listeners.length - valid} of ${listeners.length} listeners are not valid`;
  return valid > 0
    ? isTrue("Accepted", "ListenersNotValid", message)
    : isFalse("Accepted", "ListenersNotValid", message);
}
