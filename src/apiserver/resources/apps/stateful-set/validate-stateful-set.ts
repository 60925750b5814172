import type { StatefulSet, StatefulSetSpec } from "#/api/apps/v1.ts";
import type { PersistentVolumeClaim, PodTemplateSpec } from "#/api/core/v1.ts";
import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelSelector, validateLabels } from "#/machinery/meta/label-selector.ts";
import { isDNS1123Label, nameIsDNSLabel } from "#/machinery/meta/names.ts";
import { immutableMessage, validateAnnotations } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import type { PodValidationOptions } from "../../core/pod-spec/base/pod-gates.ts";
import { validatePodAnnotations } from "../../core/pod-spec/pod-annotations.ts";
import { validatePodTemplateSpec } from "../../core/pod-spec/validate-pod-template.ts";
import { validateClaimSpec } from "../../core/pod-spec/volumes/claim-template.ts";
import { FieldReport } from "../../rules/field-report.ts";
import { coreInternalForm } from "../../rules/internal-form.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../../rules/object-meta-rules.ts";
import {
  isEmptySelector,
  shownSelector,
  tryCompile,
  validateMatch,
  validateRunsForever,
} from "../../workloads/pod-template-rules.ts";
import { validateUpdateStrategy } from "./validate-update-strategy.ts";

/** Upstream: pkg/apis/apps/validation/validation.go (ValidateStatefulSet). */

const specPath = fieldPath("spec");
const claimsPath = specPath.child("volumeClaimTemplates");
const templatePath = specPath.child("template");
const retention = ["Retain", "Delete"];

/** The rules to apply. */
interface Rules {
  readonly options: PodValidationOptions;
  readonly allowRecreate: boolean;
  /** On an update immutable fields are not checked again. */
  readonly isUpdate: boolean;
  /** The old template is invalid, so the new one is not checked. */
  readonly skipTemplate: boolean;
}

/** Validation errors of a new stateful set. */
export function validateStatefulSet(
  { metadata, spec }: Decoded<StatefulSet>,
  options: PodValidationOptions,
): FieldError[] {
  const allowRecreate = options.enabled("StatefulSetRecreateStrategy");
  return [
    ...validateNamespacedMeta(metadata, nameIsDNSLabel),
    ...validateSpec(spec, { options, allowRecreate, isUpdate: false, skipTemplate: false }),
  ];
}

/** Validation errors of an update of a stateful set. */
export function validateStatefulSetUpdate(
  { metadata, spec }: Decoded<StatefulSet>,
  old: Decoded<StatefulSet>,
  options: PodValidationOptions,
): FieldError[] {
  const allowRecreate =
    options.enabled("StatefulSetRecreateStrategy") || old.spec.updateStrategy?.type === "Recreate";
  const rules: Rules = { options, allowRecreate, isUpdate: true, skipTemplate: false };
  const skipTemplate = validateSpec(old.spec, rules).length > 0;
  const report = new FieldReport();
  report.add(validateMetaUpdate(metadata, old.metadata));
  report.add(validateSpec(spec, { ...rules, skipTemplate }));
  if (!deepEqual(spec.selector, old.spec.selector)) {
    report.invalid(specPath, "selector", shownSelector(spec.selector), immutableMessage);
  }
  if (!deepEqual(spec.volumeClaimTemplates ?? [], old.spec.volumeClaimTemplates ?? [])) {
    const shown = spec.volumeClaimTemplates?.map(shownClaim) ?? null;
    report.invalid(claimsPath, "", new JsonValue(shown), immutableMessage);
  }
  if ((spec.serviceName ?? "") !== (old.spec.serviceName ?? "")) {
    report.invalid(specPath, "serviceName", spec.serviceName ?? "", immutableMessage);
  }
  if (spec.podManagementPolicy !== old.spec.podManagementPolicy) {
    const shown = new JsonValue(spec.podManagementPolicy);
    report.invalid(specPath, "podManagementPolicy", shown, immutableMessage);
  }
  return report.errors;
}

/** A claim in the form of the internal type, without apiVersion and kind. */
function shownClaim(claim: PersistentVolumeClaim): unknown {
  const form = coreInternalForm("PersistentVolumeClaim", claim) as Record<string, unknown>;
  const { Kind, APIVersion, ...shown } = form;
  return shown;
}

function validateSpec(spec: StatefulSetSpec, rules: Rules): FieldError[] {
  const report = new FieldReport();
  validatePolicies(report, spec, rules);
  if (!rules.isUpdate) validateClaims(report, spec, rules.options);
  report.nonNegative(specPath, "replicas", spec.replicas);
  report.nonNegative(specPath, "minReadySeconds", spec.minReadySeconds);
  report.nonNegative(specPath, "ordinals.start", spec.ordinals?.start);
  if (!rules.isUpdate && spec.serviceName) {
    report.problems(specPath, "serviceName", spec.serviceName, isDNS1123Label(spec.serviceName));
  }
  validateSelectorAndTemplate(report, spec, rules);
  validateRunsForever(report, templatePath, spec.template, "StatefulSet");
  return report.errors;
}

function validatePolicies(report: FieldReport, spec: StatefulSetSpec, rules: Rules): void {
  const { podManagementPolicy, persistentVolumeClaimRetentionPolicy: claims } = spec;
  if (podManagementPolicy !== "OrderedReady" && podManagementPolicy !== "Parallel") {
    const detail = "must be 'OrderedReady' or 'Parallel'";
    report.invalid(specPath, "podManagementPolicy", new JsonValue(podManagementPolicy), detail);
  }
  validateUpdateStrategy(report, specPath, spec.updateStrategy, rules);
  const at = specPath.child("persistentVolumeClaimRetentionPolicy");
  for (const when of ["whenDeleted", "whenScaled"] as const) {
    const policy = claims?.[when] ?? "";
    if (claims && !retention.includes(policy)) report.notSupported(at, when, policy, retention);
  }
}

function validateClaims(
  report: FieldReport,
  { volumeClaimTemplates = [] }: StatefulSetSpec,
  options: PodValidationOptions,
): void {
  volumeClaimTemplates.forEach(({ spec }, index) => {
    report.add(validateClaimSpec(spec, claimsPath.index(index).child("spec"), options));
  });
}

function validateSelectorAndTemplate(
  report: FieldReport,
  spec: StatefulSetSpec,
  rules: Rules,
): void {
  const { selector } = spec;
  if (selector === undefined) report.required(specPath, "selector");
  else {
    report.add(validateLabelSelector(selector, specPath.child("selector")));
    if (isEmptySelector(selector)) {
      const detail = "empty selector is invalid for statefulset";
      report.invalid(specPath, "selector", shownSelector(selector), detail);
    }
  }
  const compiled = tryCompile(selector);
  if (compiled === undefined) {
    report.invalid(specPath, "selector", shownSelector(selector), "");
    return;
  }
  const template = templateOf(spec);
  const { labels, annotations } = template.metadata;
  validateMatch(report, templatePath, template, compiled);
  if (!rules.skipTemplate) {
    report.add(validatePodTemplateSpec(template, templatePath, rules.options));
  }
  report.add(validateLabels(labels, templatePath.child("labels")));
  report.add(validateAnnotations(annotations, templatePath.child("annotations")));
  const annotated = { annotations, spec: template.spec };
  validatePodAnnotations(report, templatePath.child("annotations"), annotated, rules.options);
}

/** The template as the controller uses it: with volumes for the claims, and generated names. */
function templateOf({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const { subdomain, hostname, volumes = [], ...spec } = template.spec;
  if (!subdomain && !hostname && volumeClaimTemplates.length === 0) return template;
  const claimed = new Map(
    volumeClaimTemplates.map(({ metadata }) => {
      const name = metadata.name ?? "";
      return [name, { name, persistentVolumeClaim: { claimName: name } }];
    }),
  );
  const others = volumes.filter(({ name }) => !claimed.has(name));
  return { ...template, spec: { ...spec, volumes: [...claimed.values(), ...others] } };
}
