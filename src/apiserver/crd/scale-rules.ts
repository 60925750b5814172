import type { CustomResourceSubresourceScale } from "#/api/apiextensions/v1.ts";
import { type FieldError, invalid } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";

/**
 * Validation of the fields of the scale subresource.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource/validator.go.
 */

const maxReplicas = 2 ** 31 - 1;

/** The desired number of replicas. */
export function validateScaleSpec(
  { specReplicasPath }: CustomResourceSubresourceScale,
  object: object,
): FieldError[] {
  return validateReplicas(specReplicasPath, object);
}

/** The current number of replicas, and their selector. */
export function validateScaleStatus(
  { statusReplicasPath, labelSelectorPath }: CustomResourceSubresourceScale,
  object: object,
): FieldError[] {
  const errors = validateReplicas(statusReplicasPath, object);
  if (labelSelectorPath === undefined) return errors;
  const { value, problem } = nested(object, labelSelectorPath);
  const wrong = problem ?? (value === undefined ? undefined : typeProblem(value, "string"));
  if (wrong === undefined) return errors;
  return [
    ...errors,
    invalid(fieldPath(labelSelectorPath), "", accessError(labelSelectorPath, wrong)),
  ];
}

function validateReplicas(path: string, object: object): FieldError[] {
  const { value, problem } = nested(object, path);
  const wrong = problem ?? (value === undefined ? undefined : typeProblem(value, "int64"));
  const at = fieldPath(path);
  if (wrong !== undefined) return [invalid(at, 0, accessError(path, wrong))];
  const replicas = (value as number | undefined) ?? 0;
  if (replicas < 0) return [invalid(at, replicas, "should be a non-negative integer")];
  if (replicas <= maxReplicas) return [];
  return [invalid(at, replicas, `should be less than or equal to ${maxReplicas}`)];
}

/** The error of a path that can't be followed: the value found, and the part of the path that was followed. */
interface Problem {
  readonly depth?: number;
  readonly text: string;
}

function accessError(path: string, { depth, text }: Problem): string {
  const names = path.replace(/^\./, "").split(".");
  return `.${names.slice(0, depth ?? names.length).join(".")} accessor error: ${text}`;
}

function nested(object: object, path: string): { value?: unknown; problem?: Problem } {
  let value: unknown = object;
  const names = path.replace(/^\./, "").split(".");
  for (const [depth, name] of names.entries()) {
    if (value === undefined || value === null) return {};
    if (typeof value !== "object" || Array.isArray(value)) {
      const text = `${shown(value)} is of the type ${goType(value)}, expected map[string]interface{}`;
      return { problem: { depth: depth + 1, text } };
    }
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }
  return { value };
}

function typeProblem(value: unknown, wanted: string): Problem | undefined {
  const type = goType(value);
  return type === wanted
    ? undefined
    : { text: `${shown(value)} is of the type ${type}, expected ${wanted}` };
}

function goType(value: unknown): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    case "bigint":
      return "int64";
    default:
      if (value === null) return "<nil>";
      return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
  }
}

/** A value as Go's %v shows it. */
function shown(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(shown).join(" ")}]`;
  if (typeof value !== "object") return String(value);
  const names = Object.keys(value as object).sort();
  const entries = names.map((name) => `${name}:${shown((value as Record<string, unknown>)[name])}`);
  return `map[${entries.join(" ")}]`;
}
