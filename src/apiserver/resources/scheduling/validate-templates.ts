import type {
  CompositePodGroupTemplate,
  PodGroupTemplate,
  WorkloadSpec,
} from "#/api/scheduling/v1beta1.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { findDefinition } from "#/machinery/schema/definitions.ts";
import type { FieldReport } from "../rules/field-report.ts";
import { internalForm } from "../rules/internal-form.ts";

/** Rules for templates that are not declared with the type. Upstream: pkg/apis/scheduling/validation/validation.go. */

const maxDepth = 4;

type Parent = WorkloadSpec | CompositePodGroupTemplate;
type Prioritized = Pick<PodGroupTemplate, "priorityClassName" | "priority">;

/** Checks the tree of templates: names, depth, priorities, and that no group is empty. */
export function validateTemplates(report: FieldReport, path: FieldPath, spec: WorkloadSpec): void {
  const names = new Set(spec.podGroupTemplates?.map(({ name }) => name));
  validateCompositeNames(report, path, spec, names);
  const at = path.child("compositePodGroupTemplates");
  spec.compositePodGroupTemplates?.forEach((template, index) => {
    if (depthOf(template) < maxDepth) return;
    const detail = `maximum template hierarchy depth is ${maxDepth}`;
    report.invalid(at.index(index), "", new JsonValue(shown(template)), detail);
  });
  validatePriorities(report, path, spec);
  validateChildren(report, path, spec);
}

/** A name must be unique on the path from the root and among the preceding siblings. */
function validateCompositeNames(
  report: FieldReport,
  path: FieldPath,
  { compositePodGroupTemplates: templates = [] }: Parent,
  names: Set<string>,
): void {
  const at = path.child("compositePodGroupTemplates");
  templates.forEach(({ name }, index) => {
    if (names.has(name)) report.duplicate(at.index(index), "name", name);
  });
  for (const { name } of templates) names.add(name);
  templates.forEach((template, index) => {
    const here = at.index(index);
    const groups = template.podGroupTemplates ?? [];
    groups.forEach(({ name }, place) => {
      if (!names.has(name)) return;
      report.duplicate(here.child("podGroupTemplates").index(place), "name", name);
    });
    for (const { name } of groups) names.add(name);
    validateCompositeNames(report, here, template, names);
  });
}

const depthOf = ({
  compositePodGroupTemplates: children = [],
}: CompositePodGroupTemplate): number => 1 + Math.max(0, ...children.map(depthOf));

function shown({ compositePodGroupTemplates }: CompositePodGroupTemplate): unknown {
  const schema = findDefinition("scheduling/v1beta1", "CompositePodGroupTemplate");
  if (!schema) throw new Error("the scheduling group has no templates");
  return compositePodGroupTemplates?.map((template) => internalForm(template, schema)) ?? null;
}

function validatePriorities(report: FieldReport, path: FieldPath, spec: WorkloadSpec): void {
  const groups = (spec.podGroupTemplates ?? []).map(priorityOf);
  if (new Set(groups).size > 1) {
    report.invalid(path, "", new JsonValue(null), "detected multiple priority configurations");
    return;
  }
  const all = new Set([...groups, ...(spec.compositePodGroupTemplates ?? []).flatMap(priorities)]);
  if (all.size <= 1) return;
  const detail =
    "all priority and priorityClassName values must be identical, detected multiple values";
  report.invalid(path, "", new JsonValue(null), detail);
}

const priorityOf = ({ priorityClassName, priority }: Prioritized): string =>
  JSON.stringify([priorityClassName ?? "", priority ?? null]);

const priorities = (template: CompositePodGroupTemplate): string[] => [
  priorityOf(template),
  ...(template.compositePodGroupTemplates ?? []).flatMap(priorities),
  ...(template.podGroupTemplates ?? []).map(priorityOf),
];

function validateChildren(report: FieldReport, path: FieldPath, parent: Parent): void {
  parent.compositePodGroupTemplates?.forEach((template, index) => {
    const at = path.child("compositePodGroupTemplates").index(index);
    const { podGroupTemplates = [], compositePodGroupTemplates = [], name } = template;
    if (podGroupTemplates.length + compositePodGroupTemplates.length === 0) {
      const detail = "must have at least one child PodGroupTemplate or CompositePodGroupTemplate";
      report.invalid(at, "", name, detail);
    }
    validateChildren(report, at, template);
  });
}
