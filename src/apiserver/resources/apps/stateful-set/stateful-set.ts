import { type StatefulSet, statefulSets } from "#/api/apps/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { append } from "#/std/base/append.ts";
import {
  type Column,
  type Decoded,
  type RequestContext,
  serve,
} from "../../../registry/strategy.ts";
import { dropDisabledPodFields } from "../../core/pod-spec/drop-disabled-fields.ts";
import { fractionWarnings } from "../../core/pod-spec/fraction-warnings.ts";
import { templateValidationOptions } from "../../core/pod-spec/pod-validation-options.ts";
import { podTemplateWarnings } from "../../core/pod-spec/pod-warnings.ts";
import { ageColumn, nameColumn } from "../../rules/age.ts";
import { countGeneration, startGeneration } from "../../rules/generation.ts";
import { keepSpec, keepStatus } from "../../rules/keep-spec.ts";
import { templateColumns } from "../../workloads/container-columns.ts";
import { setStatefulSetDefaults } from "./defaults.ts";
import { validateStatefulSet, validateStatefulSetUpdate } from "./validate-stateful-set.ts";
import { validateStatefulSetStatus } from "./validate-status.ts";

const specPath = fieldPath("spec");

const columns: readonly Column<StatefulSet>[] = [
  nameColumn,
  {
    name: "Ready",
    type: "string",
    cell: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
  },
  ageColumn,
  ...templateColumns<StatefulSet>(({ spec }) => spec.template.spec.containers),
];

/** Upstream: pkg/registry/apps/statefulset/strategy.go. */
export const statefulSet = serve(statefulSets, {
  setDefaults: setStatefulSetDefaults,
  prepareForCreate(object, context) {
    object.status = { replicas: 0, availableReplicas: 0 };
    startGeneration(object);
    dropDisabled(object, undefined, context);
  },
  prepareForUpdate(object, old, context) {
    keepStatus(object, old);
    dropDisabled(object, old, context);
    countGeneration(object, old);
  },
  validate: (object, context) => validateStatefulSet(object, templateValidationOptions(context)),
  validateUpdate: (object, old, context) =>
    validateStatefulSetUpdate(object, old, templateValidationOptions(context, old.spec.template)),
  warnings,
  resetFields: ["status"],
  status: {
    prepareForUpdate: keepSpec,
    validateUpdate: validateStatefulSetStatus,
    resetFields: ["spec"],
  },
  scale: {
    specReplicas: ".spec.replicas",
    statusReplicas: ".status.replicas",
    selector: ".spec.selector",
  },
  columns,
});

function dropDisabled(
  { spec }: Decoded<StatefulSet>,
  old: Decoded<StatefulSet> | undefined,
  context: RequestContext,
): void {
  const before = old?.spec.updateStrategy?.rollingUpdate?.maxUnavailable;
  if (before === undefined && !context.enabled("MaxUnavailableStatefulSet")) {
    delete spec.updateStrategy?.rollingUpdate?.maxUnavailable;
  }
  dropDisabledPodFields(spec.template, old?.spec.template, context);
}

function warnings(
  { metadata, spec }: Decoded<StatefulSet>,
  old: Decoded<StatefulSet> | undefined,
): string[] {
  const same = old && metadata.generation === old.metadata.generation;
  const found = same ? [] : podTemplateWarnings(spec.template, specPath.child("template"));
  spec.volumeClaimTemplates?.forEach((claim, index) => {
    const place = specPath.child("volumeClaimTemplates").index(index);
    const at = (old ? place.child("Spec") : place).child("resources");
    for (const which of ["requests", "limits"] as const) {
      const list = claim.spec.resources?.[which];
      append(found, fractionWarnings(list, at.child(which), ["storage"]));
    }
  });
  if ((spec.revisionHistoryLimit ?? 0) < 0) {
    found.push(
      "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
    );
  }
  return found;
}
