import type { Condition } from "#/api/meta/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type {
  Gateway,
  GatewayAddress,
  GatewayClass,
  ListenerSet,
  ListenerStatus,
  Route,
  RouteParentStatus,
} from "../api/gateway-objects.ts";
import { gatewayGroup } from "../api/gateway-resources.ts";
import { isFalse, isTrue, mergeConditions, type PlainCondition } from "./condition.ts";
import type { PlannedListenerSet } from "./listener-sets.ts";
import type { PlannedListener } from "./listeners.ts";
import type { ServedGateway, ServedRoute } from "./plan-gateway-api.ts";
import { supportedFeatures } from "./supported-features.ts";

/** The status of a class of the gateway. */
export function classStatus({ metadata, spec, status }: GatewayClass, nowMs: number) {
  const accepted = spec.parametersRef
    ? isFalse("Accepted", "InvalidParameters", "the class has no parameters")
    : isTrue("Accepted", "Accepted", "the gateway of k8ts serves this class");
  return {
    conditions: mergeConditions(status?.conditions, [accepted], metadata.generation, nowMs),
    supportedFeatures: supportedFeatures.map((name) => ({ name })),
  };
}

/** The status of a gateway with these addresses. */
export function gatewayStatus(
  served: ServedGateway,
  addresses: readonly GatewayAddress[],
  nowMs: number,
): NonNullable<Gateway["status"]> {
  const { gateway, listeners, sets, attached } = served;
  const { generation } = gateway.metadata;
  const accepted = acceptedOf(gateway, listeners);
  const stated = [accepted, programmedOf(accepted, served, addresses)];
  const count = sets.filter((one) => one.accepted.status === "True").length;
  // The field is as new as ListenerSets: an older definition would drop it, and it would be written for ever.
  const hasSets = sets.length > 0 || gateway.status?.attachedListenerSets !== undefined;
  return {
    addresses,
    conditions: mergeConditions(gateway.status?.conditions, stated, generation, nowMs),
    listeners: listenerStatuses(listeners, attached, { before: gateway, nowMs }),
    ...(hasSets ? { attachedListenerSets: count } : {}),
  };
}

/** The status of a ListenerSet of a gateway. */
export function listenerSetStatus(
  { set, listeners, accepted }: PlannedListenerSet,
  { attached }: ServedGateway,
  parent: NonNullable<Gateway["status"]>,
  nowMs: number,
): NonNullable<ListenerSet["status"]> {
  const stated = [accepted, setProgrammed(accepted, parent)];
  const { generation } = set.metadata;
  return {
    conditions: mergeConditions(set.status?.conditions, stated, generation, nowMs),
    listeners: listenerStatuses(listeners, attached, { before: set, nowMs }),
  };
}

function setProgrammed(
  { status, reason, message }: PlainCondition,
  { conditions = [] }: NonNullable<Gateway["status"]>,
): PlainCondition {
  if (status !== "True") return isFalse("Programmed", reason, message);
  const parent = conditions.find(({ type }) => type === "Programmed");
  return parent?.status === "True"
    ? isTrue("Programmed", "Programmed", "the listeners serve")
    : isFalse("Programmed", "ParentNotProgrammed", parent?.message ?? "");
}

function listenerStatuses(
  listeners: readonly PlannedListener[],
  attached: ServedGateway["attached"],
  { before, nowMs }: { readonly before: Gateway | ListenerSet; readonly nowMs: number },
): ListenerStatus[] {
  const { generation } = before.metadata;
  return listeners.map((listener) => {
    const { name } = listener.spec;
    const old = before.status?.listeners?.find((one) => one.name === name)?.conditions;
    return {
      name,
      supportedKinds: listener.kinds.map((kind) => ({ group: gatewayGroup, kind })),
      attachedRoutes: attached.get(listener) ?? 0,
      conditions: mergeConditions(old, listenerConditions(listener), generation, nowMs),
    };
  });
}

function listenerConditions(listener: PlannedListener): PlainCondition[] {
  const { accepted, conflicted, resolvedRefs, isProgrammed } = listener;
  const reason = conflicted.status === "True" ? conflicted.reason : "Invalid";
  const programmed = isProgrammed
    ? isTrue("Programmed", "Programmed", "the listener serves")
    : isFalse("Programmed", reason, "the listener is not valid");
  return [accepted, conflicted, resolvedRefs, programmed];
}

function acceptedOf(gateway: Gateway, listeners: readonly PlannedListener[]): PlainCondition {
  if (gateway.spec.infrastructure?.parametersRef) {
    return isFalse("Accepted", "InvalidParameters", "gateways of this class have no parameters");
  }
  if (gateway.spec.addresses?.some(({ value }) => value)) {
    const message = "the gateway's address is chosen by the cluster";
    return isFalse("Accepted", "UnsupportedAddress", message);
  }
  const valid = listeners.filter(({ accepted }) => accepted.status === "True").length;
  if (valid === listeners.length) return isTrue("Accepted", "Accepted", "the gateway is valid");
  const message = `${listeners.length - valid} of ${listeners.length} listeners are not valid`;
  return valid > 0
    ? isTrue("Accepted", "ListenersNotValid", message)
    : isFalse("Accepted", "ListenersNotValid", message);
}

function programmedOf(
  accepted: PlainCondition,
  { listeners, sets }: ServedGateway,
  addresses: readonly GatewayAddress[],
): PlainCondition {
  if (accepted.status !== "True") return isFalse("Programmed", "Invalid", accepted.message);
  const all = [...listeners, ...sets.flatMap((set) => set.listeners)];
  if (!all.some(({ isProgrammed }) => isProgrammed)) {
    return isFalse("Programmed", "Invalid", "no listener is valid");
  }
  if (addresses.length === 0) {
    return isFalse("Programmed", "AddressNotAssigned", "its Service has no address yet");
  }
  return isTrue("Programmed", "Programmed", "the gateway serves");
}

/** The parents in the status of a route: those of other controllers stay. */
export function routeParents(
  { route, parents }: ServedRoute,
  controllerName: string,
  nowMs: number,
): RouteParentStatus[] {
  const all = route.status?.parents ?? [];
  const others = all.filter((one) => one.controllerName !== controllerName);
  const own = parents.map(({ ref, accepted, resolvedRefs }): RouteParentStatus => {
    const before: readonly Condition[] | undefined = all.find(
      (one) => one.controllerName === controllerName && deepEqual(one.parentRef, ref),
    )?.conditions;
    const { generation } = route.metadata;
    return {
      parentRef: ref,
      controllerName,
      conditions: mergeConditions(before, [accepted, resolvedRefs], generation, nowMs),
    };
  });
  return [...others, ...own];
}

/** Whether a route has parents of a controller in its status. */
export const hasParents = ({ status }: Route, controllerName: string): boolean =>
  status?.parents?.some((one) => one.controllerName === controllerName) ?? false;
