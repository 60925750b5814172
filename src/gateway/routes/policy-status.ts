import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { Gateway, ParentReference, PolicyAncestorStatus } from "../api/gateway-objects.ts";
import { gatewayGroup } from "../api/gateway-resources.ts";
import type { RouteTarget, WeightedBackend } from "../table/route-target.ts";
import type { PlannedPolicy } from "./backend-tls.ts";
import { mergeConditions } from "./condition.ts";

/** Limit of ancestors in a status (count), as its definition has it. */
const maxAncestors = 16;

/** The gateways through which Services are reached, by "namespace/name" of the Service. */
export type UsedBy = ReadonlyMap<string, ReadonlySet<Gateway>>;

/** The Services that a target of a rule leads to, also by mirrors, as "namespace/name". */
export const servicesOf = ({ backends, filters }: RouteTarget): string[] => [
  ...namesOf(backends),
  ...(filters.mirrors ?? []).map(({ ref }) => `${ref.namespace}/${ref.service}`),
];

export const namesOf = (backends: readonly WeightedBackend[]): string[] =>
  backends.flatMap(({ ref }) => (ref ? `${ref.namespace}/${ref.service}` : []));

/** The ancestors in the status of a policy: those of other controllers stay. */
export function policyAncestors(
  { policy, services, accepted, resolvedRefs }: PlannedPolicy,
  usedBy: UsedBy,
  controllerName: string,
  nowMs: number,
): PolicyAncestorStatus[] {
  const all = policy.status?.ancestors ?? [];
  const others = all.filter((one) => one.controllerName !== controllerName);
  const gateways = new Set(services.flatMap((name) => [...(usedBy.get(name) ?? [])]));
  const refs = [...gateways].map(
    ({ metadata }): ParentReference => ({
      group: gatewayGroup,
      kind: "Gateway",
      namespace: metadata.namespace ?? "",
      name: metadata.name ?? "",
    }),
  );
  // No route can lead to a Service that is not there: the policy has to say so itself.
  if (refs.length === 0 && accepted.reason === "TargetNotFound") refs.push(targetOf(policy));
  const own = refs.map((ancestorRef): PolicyAncestorStatus => {
    const before = all.find(
      (one) => one.controllerName === controllerName && deepEqual(one.ancestorRef, ancestorRef),
    )?.conditions;
    const { generation } = policy.metadata;
    const conditions = mergeConditions(before, [accepted, resolvedRefs], generation, nowMs);
    return { ancestorRef, controllerName, conditions };
  });
  return [...others, ...own].slice(0, maxAncestors);
}

function targetOf({ metadata, spec }: PlannedPolicy["policy"]): ParentReference {
  const { namespace = "" } = metadata;
  const [{ group = "", kind = "Service", name } = { name: "" }] = spec.targetRefs;
  return { group, kind, namespace, name };
}
