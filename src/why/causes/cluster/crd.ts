import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "#/api/apiextensions/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";

export const crdNotServed = cause<CustomResourceDefinition>({
  name: "custom-resource-not-served",
  layer: "admission",
  of: [customResourceDefinitions],
  find({ status }, view) {
    const bad = (status?.conditions ?? []).find(({ type, status: value }) =>
      ["NamesAccepted", "Established", "KubernetesAPIApprovalPolicyConformant"].includes(type)
        ? value === "False"
        : type === "NonStructuralSchema" && value === "True",
    );
    if (!bad) return undefined;
    return {
      sentence: `its resource is not served: ${bad.type} is ${bad.status} (${bad.reason})${bad.message ? `: ${oneLine(bad.message, 200)}` : ""}`,
      since: bad.lastTransitionTime,
      evidence: (status?.conditions ?? []).map((one) => conditionLine(one, view.nowMs)),
    };
  },
});
