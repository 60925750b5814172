import type {
  Container,
  NodeAffinity,
  NodeSelectorTerm,
  Pod,
  PodSchedulingGate,
  PodSpec,
} from "#/api/core/v1.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { rangeMessage } from "#/machinery/meta/names.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { tolerationKey } from "#/machinery/pods/tolerations.ts";
import type { Decoded, RequestContext } from "../../../registry/strategy.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { coreInternalDiff, coreInternalForm } from "../../rules/internal-form.ts";
import { validateMetaUpdate } from "../../rules/object-meta-rules.ts";
import type { PodValidationOptions } from "../pod-spec/base/pod-gates.ts";
import { podValidationOptions } from "../pod-spec/pod-validation-options.ts";
import { validateImageText } from "../pod-spec/validate-containers.ts";
import { validateTolerations } from "../pod-spec/validate-tolerations.ts";
import { validateAnnotationUpdate } from "./validate-annotation-update.ts";
import { validateMetaAndSpec } from "./validate-pod.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

const specPath = fieldPath("spec");
const maxInt32 = 2 ** 31 - 1;

/** Validation errors of an update of a Pod: few fields are mutable. */
export function validatePodUpdate(
  pod: Decoded<Pod>,
  old: Decoded<Pod>,
  context: RequestContext,
): FieldError[] {
  const options = podValidationOptions(context, old);
  const report = new FieldReport();
  report.add(validateMetaUpdate(pod.metadata, old.metadata));
  report.add(validateMetaAndSpec(pod, options));
  validateAnnotationUpdate(report, pod, old, options);
  if (!validateImages(report, pod.spec, old.spec)) return report.errors;
  if (!validateDeadline(report, pod.spec, old.spec)) return report.errors;
  validateTolerationUpdate(report, pod.spec, old.spec, options);
  validateGateUpdate(report, pod.spec.schedulingGates, old.spec.schedulingGates);
  if (!deepEqual(pod.spec, old.spec)) validateNothingElse(report, pod.spec, old.spec);
  return report.errors;
}

/** Images may change, the number of containers may not; false ends the checks. */
function validateImages(report: FieldReport, spec: PodSpec, old: PodSpec): boolean {
  for (const field of ["containers", "initContainers"] as const) {
    const containers = spec[field] ?? [];
    if (containers.length !== (old[field] ?? []).length) {
      report.forbidden(specPath, field, "pod updates may not add or remove containers");
      return false;
    }
    containers.forEach((container, index) => {
      const at = specPath.child(field).index(index);
      if (!container.image) report.required(at, "image");
      validateImageText(report, at, container);
    });
  }
  return true;
}

/** The deadline may be set once and then only decrease; false ends the checks. */
function validateDeadline(report: FieldReport, spec: PodSpec, old: PodSpec): boolean {
  const { activeDeadlineSeconds: deadline } = spec;
  const { activeDeadlineSeconds: before } = old;
  if (deadline === undefined) {
    if (before === undefined) return true;
    const detail = "must not update from a positive integer to nil value";
    report.invalid(specPath, "activeDeadlineSeconds", null, detail);
    return true;
  }
  const problem =
    deadline < 0 || deadline > maxInt32
      ? rangeMessage(0, maxInt32)
      : before !== undefined && before < deadline
        ? "must be less than or equal to previous value"
        : undefined;
  if (problem !== undefined) report.invalid(specPath, "activeDeadlineSeconds", deadline, problem);
  return problem === undefined;
}

/** Tolerations may be added, and tolerationSeconds of existing ones may change. */
function validateTolerationUpdate(
  report: FieldReport,
  { tolerations = [] }: PodSpec,
  old: PodSpec,
  options: PodValidationOptions,
): void {
  const known = new Set(tolerations.map(tolerationKey));
  if (old.tolerations?.every((one) => known.has(tolerationKey(one))) === false) {
    const detail = "existing toleration can not be modified except its tolerationSeconds";
    report.forbidden(specPath, "tolerations", detail);
  } else validateTolerations(report, specPath.child("tolerations"), tolerations, options);
}

function validateGateUpdate(
  report: FieldReport,
  gates: readonly PodSchedulingGate[] = [],
  old: readonly PodSchedulingGate[] = [],
): void {
  const known = new Set(old.map((gate) => gate.name));
  gates.forEach(({ name }, index) => {
    if (known.has(name)) return;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    report.forbidden(specPath.child("schedulingGates").index(index), "name", detail);
  });
}

const updatable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");

/** With the old values of all mutable fields, the new spec must equal the old one. */
function validateNothingElse(report: FieldReport, spec: PodSpec, old: PodSpec): void {
  const rest = withoutAllowedChanges(spec, old);
  if (old.schedulingGates?.length) allowGatedChanges(report, rest, old);
  if (deepEqual(rest, old)) return;
  const diff = coreInternalDiff("PodSpec", old, rest);
  const detail = `pod updates may not change fields other than ${updatable}\n${diff}`;
  report.forbidden(specPath, "", detail);
}

function withoutAllowedChanges(spec: PodSpec, old: PodSpec): PodSpec {
  const withImages = (
    containers: readonly Container[] | undefined,
    before: readonly Container[] | undefined,
  ): Container[] | undefined =>
    containers?.map((container, index) => restore(container, before?.[index] ?? {}, ["image"]));
  const rest = restore({ ...spec }, old, [
    "activeDeadlineSeconds",
    "schedulingGates",
    "tolerations",
  ]);
  rest.containers = withImages(spec.containers, old.containers) ?? [];
  const initContainers = withImages(spec.initContainers, old.initContainers);
  if (initContainers) rest.initContainers = initContainers;
  const wasNegative = (old.terminationGracePeriodSeconds ?? 0) < 0;
  if (wasNegative && rest.terminationGracePeriodSeconds === 1) {
    restore(rest, old, ["terminationGracePeriodSeconds"]);
  }
  return rest;
}

/** A copy of an object with the old values of some fields. */
function restore<T extends object>(object: T, old: Partial<T>, fields: readonly (keyof T)[]): T {
  const copy = { ...object };
  for (const field of fields) {
    const value = old[field];
    if (value === undefined) delete copy[field];
    else copy[field] = value as T[keyof T];
  }
  return copy;
}

/** A Pod with scheduling gates may narrow its node selector and affinity. */
function allowGatedChanges(report: FieldReport, rest: PodSpec, old: PodSpec): void {
  const { nodeSelector: before = {} } = old;
  const { nodeSelector = {} } = rest;
  if (Object.entries(before).some(([key, value]) => nodeSelector[key] !== value)) {
    const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
    report.invalid(specPath, "nodeSelector", rest.nodeSelector ?? null, detail);
  }
  if (old.nodeSelector === undefined) delete rest.nodeSelector;
  else rest.nodeSelector = old.nodeSelector;
  const oldAffinity = old.affinity?.nodeAffinity;
  const affinity = rest.affinity?.nodeAffinity;
  if (deepEqual(oldAffinity, affinity)) return;
  validateNodeAffinityUpdate(report, affinity, oldAffinity);
  const { podAffinity, podAntiAffinity } = rest.affinity ?? {};
  if (old.affinity === undefined && podAffinity === undefined && podAntiAffinity === undefined) {
    delete rest.affinity;
  } else {
    rest.affinity = restore({ ...rest.affinity }, old.affinity ?? {}, ["nodeAffinity"]);
  }
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";

function validateNodeAffinityUpdate(
  report: FieldReport,
  affinity: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
): void {
  const before = old?.[required]?.nodeSelectorTerms ?? [];
  if (before.length === 0) return;
  const terms = affinity?.[required]?.nodeSelectorTerms ?? [];
  const path: FieldPath = specPath.child("affinity").child("nodeAffinity").child(required);
  const form = (term: NodeSelectorTerm): unknown => coreInternalForm("NodeSelectorTerm", term);
  if (terms.length !== before.length) {
    const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    const shown = terms.length === 0 ? null : terms.map(form);
    report.invalid(path, "nodeSelectorTerms", shown, detail);
    return;
  }
  terms.forEach((term, index) => {
    if (addsOnly(term, before[index] ?? {})) return;
    const detail = "only additions are allowed (no mutations or deletions)";
    report.invalid(path.child("nodeSelectorTerms").index(index), "", form(term), detail);
  });
}

/** A term that is empty stays empty; requirements may be appended to any other. */
function addsOnly(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  const { matchExpressions: expressions = [], matchFields: fields = [] } = old;
  if (expressions.length === 0 && fields.length === 0) {
    return matchExpressions.length === 0 && matchFields.length === 0;
  }
  return (
    deepEqual(matchExpressions.slice(0, expressions.length), expressions) &&
    deepEqual(matchFields.slice(0, fields.length), fields)
  );
}
