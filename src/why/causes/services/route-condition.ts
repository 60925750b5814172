import { type AnyCondition, type AnyObject, conditionsOf } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";

/** The group of Gateways and their routes. */
const group = "gateway.networking.k8s.io";

/** A part of a status with conditions of its own: a parent of a route, or a listener. */
interface Part {
  readonly name: string;
  readonly conditions: readonly AnyCondition[];
}

interface PartedStatus {
  readonly parents?: readonly { readonly parentRef?: { readonly name?: string } }[];
  readonly listeners?: readonly { readonly name?: string }[];
}

/** A route that a Gateway refuses, or whose backends it can't resolve; a listener that does not serve. */
export const routeCondition = cause<AnyObject>({
  name: "gateway-refuses",
  layer: "service",
  find(object, view, resource) {
    if (resource.group !== group) return undefined;
    for (const { name, conditions } of partsOf(object)) {
      const bad = conditions.find(
        ({ type, status }) =>
          (type === "Accepted" || type === "ResolvedRefs") && status === "False",
      );
      if (!bad) continue;
      const said = bad.message ? `: ${oneLine(bad.message, 200)}` : "";
      return {
        sentence: `${name} says ${bad.reason ?? bad.type}${said}`,
        since: bad.lastTransitionTime,
        evidence: conditions.map((one) => conditionLine(one, view.nowMs)),
      };
    }
    return undefined;
  },
});

function partsOf(object: AnyObject): Part[] {
  const { status } = object as { readonly status?: PartedStatus };
  const { parents = [], listeners = [] } = status ?? {};
  return [
    ...listeners.map((one) => ({ ...partOf(one), name: `its listener ${one.name}` })),
    ...parents.map((one) => ({ ...partOf(one), name: `its parent ${one.parentRef?.name}` })),
  ];
}

const partOf = (status: unknown): Pick<Part, "conditions"> => ({
  conditions: conditionsOf({ status }),
});
