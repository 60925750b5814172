import { names } from "../../base/text.ts";
import { schedulingCause } from "../../facts/unschedulable.ts";

export const topologySpread = schedulingCause({
  name: "topology-spread",
  texts: /topology spread constraints( \(missing required label\))?/,
  explain([, missing], { spec }) {
    const keys = (spec.topologySpreadConstraints ?? [])
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")
      .map(
        ({ topologyKey, maxSkew, minDomains }) =>
          `${topologyKey}, maxSkew ${maxSkew}${minDomains ? `, minDomains ${minDomains}` : ""}`,
      );
    const why = missing
      ? "the nodes lack the label of the constraint"
      : "any node would make the spread too uneven";
    return {
      sentence: `its topology spread constraint (${names(keys)}) cannot be kept: ${why}`,
      fix: ["# whenUnsatisfiable: ScheduleAnyway, a larger maxSkew, or more nodes with the label"],
    };
  },
});
