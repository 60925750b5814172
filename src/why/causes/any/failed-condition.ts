import { apiServices } from "#/api/apiregistration/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import { pods } from "#/api/core/v1.ts";
import type { AnyObject } from "../../base/any-object.ts";
import { allConditionsOf } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";

/** Conditions that are bad when they are True, of kinds that no other cause knows. */
const badWhenTrue =
  /(?:Fail(?:ed|ure)|Error|Degraded|Stalled|Problem|Conflict|Denied|Invalid|Blocked|Pressure)/;
/** Conditions that are good when they are True. */
const goodWhenTrue =
  /^(?:Ready|Available|Established|NamesAccepted|Healthy|Succeeded|Complete|Synced|Accepted|Programmed|ResolvedRefs|Reconciled|Progressing|Initialized|Bound|Valid|Active|Admitted)$/;

/** Resources whose conditions their own causes look at: a Pod's follow from its containers. */
const judged: readonly Resource[] = [pods, apiServices];

/** The first condition of an object of any kind that says that something is wrong. */
export const failedCondition = cause<AnyObject>({
  name: "failed-condition",
  layer: "controllers",
  isFallback: true,
  find(object, view, resource) {
    if (judged.some(({ group, name }) => group === resource.group && name === resource.name))
      return undefined;
    const conditions = allConditionsOf(object);
    const bad = conditions.find(({ type, status }) =>
      badWhenTrue.test(type) ? status === "True" : goodWhenTrue.test(type) && status === "False",
    );
    if (!bad) return undefined;
    const said = bad.message ? `: ${oneLine(bad.message, 200)}` : "";
    return {
      sentence: `its condition ${bad.type} is ${bad.status}${bad.reason ? ` (${bad.reason})` : ""}${said}`,
      since: bad.lastTransitionTime,
      evidence: conditions.map((one) => conditionLine(one, view.nowMs)),
    };
  },
});
