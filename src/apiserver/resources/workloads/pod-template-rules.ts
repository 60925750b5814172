import type { PodTemplateSpec } from "#/api/core/v1.ts";
import type { LabelSelector } from "#/api/meta/v1.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { type Selector, SelectorError } from "#/machinery/meta/labels.ts";
import { isDNS1123Label } from "#/machinery/meta/names.ts";
import type { FieldReport } from "../rules/field-report.ts";

/** Rules that all kinds with a Pod template share. Upstream: pkg/apis/apps/validation/validation.go. */

const mismatch = "`selector` does not match template `labels`";

/** The parsed selector; undefined if it is invalid. */
export function tryCompile(selector: LabelSelector | undefined): Selector | undefined {
  try {
    return compileLabelSelector(selector);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

/** Whether a selector has no requirements. */
export const isEmptySelector = ({ matchLabels, matchExpressions }: LabelSelector): boolean =>
  Object.keys(matchLabels ?? {}).length + (matchExpressions?.length ?? 0) === 0;

/** A selector as messages show it. */
export function shownSelector(selector: LabelSelector | undefined): JsonValue {
  if (selector?.matchLabels === undefined) return new JsonValue(selector ?? null);
  return new JsonValue({ ...selector, matchLabels: inKeyOrder(selector.matchLabels) });
}

/** Checks that a selector matches Pods made from a template. */
export function validateMatch(
  report: FieldReport,
  path: FieldPath,
  template: PodTemplateSpec,
  selector: Selector,
): void {
  const { labels } = template.metadata;
  if (selector.matches(labels)) return;
  report.invalid(path.child("metadata"), "labels", new JsonValue(inKeyOrder(labels)), mismatch);
}

const inKeyOrder = (labels: Readonly<Record<string, string>> | undefined): object | null =>
  labels === undefined
    ? null
    : Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Checks that Pods restart always: controllers that replace Pods need no other policy. */
export function validateRunsForever(
  report: FieldReport,
  path: FieldPath,
  { spec }: PodTemplateSpec,
  kind: string,
): void {
  const at = path.child("spec");
  if (spec.restartPolicy !== "Always") {
    report.notSupported(at, "restartPolicy", spec.restartPolicy ?? "", ["Always"]);
  }
  if (spec.activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
    report.forbidden(at, "activeDeadlineSeconds", detail);
  }
}

/** Warnings for a name that cannot be part of a Pod's host name. */
export function hostNameWarnings(name = ""): string[] {
  const problems = isDNS1123Label(name);
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
  ];
}
