import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "#/api/apiextensions/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";

export const crdInstances = cause<CustomResourceDefinition>({
  name: "custom-resources-remain",
  layer: "deletion",
  group: "deletion",
  of: [customResourceDefinitions],
  find({ metadata, spec, status }, view) {
    if (!metadata.deletionTimestamp) return undefined;
    const condition = findCondition(status?.conditions, "Terminating");
    const said = condition?.message ? `: ${oneLine(condition.message, 160)}` : "";
    return {
      sentence: `it is being deleted, and waits until all its ${spec.names.plural} are gone, some of which probably have finalizers${said}`,
      since: metadata.deletionTimestamp,
      evidence: condition ? [conditionLine(condition, view.nowMs)] : [],
      fix: [
        `kubectl get ${metadata.name} -A -o custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,FINALIZERS:.metadata.finalizers`,
      ],
    };
  },
});
