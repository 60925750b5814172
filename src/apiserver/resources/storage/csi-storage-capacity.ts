import type { LabelSelector } from "#/api/meta/v1.ts";
import { type CSIStorageCapacity, csiStorageCapacities } from "#/api/storage/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelSelector } from "#/machinery/meta/label-selector.ts";
import { nameIsDNSSubdomain, negativeMessage } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { FieldReport } from "../rules/field-report.ts";
import { deprecatedNodeLabel } from "../rules/node-selector.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";
import { shownSelector } from "../workloads/pod-template-rules.ts";

const topologyPath = fieldPath("nodeTopology");
const classPath = fieldPath("storageClassName");

/**
 * Upstream: pkg/registry/storage/csistoragecapacity/strategy.go, pkg/apis/storage/validation/validation.go,
 * pkg/api/node/util.go.
 */
export const csiStorageCapacity = serve(csiStorageCapacities, {
  allowUnconditionalUpdate: false,
  validate: (object) => validateCapacity(object, false).errors,
  validateUpdate(object, old) {
    const wasInvalid = validateLabelSelector(old.nodeTopology, topologyPath).length > 0;
    const report = validateCapacity(object, wasInvalid);
    report.add(validateMetaUpdate(object.metadata, old.metadata));
    if (!deepEqual(object.nodeTopology, old.nodeTopology)) {
      report.invalid(topologyPath, "", shownSelector(object.nodeTopology), immutableMessage);
    }
    if (object.storageClassName !== old.storageClassName) {
      report.invalid(classPath, "", object.storageClassName, immutableMessage);
    }
    return report.errors;
  },
  warnings: ({ nodeTopology }) => topologyWarnings(nodeTopology),
});

function validateCapacity(
  { metadata, nodeTopology, storageClassName, capacity }: Decoded<CSIStorageCapacity>,
  allowInvalidValues: boolean,
): FieldReport {
  const report = new FieldReport();
  report.add(validateNamespacedMeta(metadata, nameIsDNSSubdomain));
  report.add(validateLabelSelector(nodeTopology, topologyPath, { allowInvalidValues }));
  const problems = nameIsDNSSubdomain(storageClassName, false);
  report.problems(classPath, "", storageClassName, problems);
  if (capacity !== undefined && parseQuantity(capacity).sign < 0) {
    report.invalid(fieldPath("capacity"), "", capacity, negativeMessage);
  }
  return report;
}

function topologyWarnings(selector: LabelSelector | undefined): string[] {
  const { matchExpressions = [], matchLabels = {} } = selector ?? {};
  const ofExpressions = matchExpressions.flatMap(({ key }, index) => {
    const message = deprecatedNodeLabel(key);
    const at = topologyPath.child("matchExpressions").index(index).child("key");
    return message === undefined ? [] : [`${at}: ${key} is ${message}`];
  });
  const ofLabels = Object.keys(matchLabels).flatMap((key) => {
    const message = deprecatedNodeLabel(key);
    const at = topologyPath.child("matchLabels").child(key);
    return message === undefined ? [] : [`${at}: ${message}`];
  });
  return [...ofExpressions, ...ofLabels];
}
