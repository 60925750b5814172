import type { Taint } from "#/api/core/v1.ts";
import { jsonTypeName, parseJson } from "#/machinery/codec/json/json-document.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  JsonValue,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { validateLabelName } from "#/machinery/meta/label-selector.ts";
import { isLabelValue } from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";

/**
 * Taints of nodes, in the spec and in the legacy annotation.
 *
 * Upstream: pkg/apis/core/validation/validation.go.
 */

const taintsAnnotation = "scheduler.alpha.kubernetes.io/taints";
const avoidAnnotation = "scheduler.alpha.kubernetes.io/preferAvoidPods";
const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** Validation errors of a list of taints. */
export function validateTaints(taints: readonly Taint[], path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const at = path.index(index);
    const errors = validateTaint(taint, at);
    const key = `${taint.effect} ${taint.key}`;
    if (seen.has(key)) {
      const error = duplicate(at, internalTaint(taint));
      errors.push({ ...error, detail: "taints must be unique by key and effect pair" });
    }
    seen.add(key);
    return errors;
  });
}

/** Upstream shows its internal type, whose fields have no JSON names. */
function internalTaint({ key, value, effect, timeAdded }: Taint): object {
  return { Key: key, Value: value ?? "", Effect: effect, TimeAdded: timeAdded ?? null };
}

function validateTaint({ key, value = "", effect }: Taint, path: FieldPath): FieldError[] {
  const errors = validateLabelName(key, path.child("key"));
  const problems = isLabelValue(value);
  if (problems.length > 0) errors.push(invalid(path.child("value"), value, problems.join(";")));
  if (effect === ("" as Taint["effect"])) errors.push(required(path.child("effect")));
  else if (!effects.includes(effect)) {
    errors.push(notSupported(path.child("effect"), new JsonValue(effect), effects));
  }
  return errors;
}

/** Validation errors of the annotations that Kubernetes interprets on nodes. */
export function validateNodeAnnotations(
  annotations: Readonly<Record<string, string>>,
): FieldError[] {
  const path = fieldPath("metadata", "annotations");
  const errors: FieldError[] = [];
  const taints = annotations[taintsAnnotation];
  if (taints) append(errors, validateTaintsAnnotation(taints, path));
  const avoid = annotations[avoidAnnotation];
  if (avoid) append(errors, validateAvoidAnnotation(avoid, path));
  return errors;
}

function validateTaintsAnnotation(text: string, path: FieldPath): FieldError[] {
  const parsed = parse(text);
  if (parsed.problem !== undefined) return [invalid(path, taintsAnnotation, parsed.problem)];
  if (parsed.value === null) return [];
  if (!Array.isArray(parsed.value)) {
    const problem = `json: cannot unmarshal ${jsonTypeName(parsed.value)} into Go value of type []core.Taint`;
    return [invalid(path, taintsAnnotation, problem)];
  }
  const taints = (parsed.value as readonly Partial<Taint>[]).map(
    ({ key = "", value = "", effect }) => ({ key, value, effect: effect ?? "" }) as Taint,
  );
  return validateTaints(taints, path.child(taintsAnnotation));
}

interface AvoidPods {
  readonly preferAvoidPods?: readonly {
    readonly podSignature?: { readonly podController?: { readonly controller?: boolean } };
  }[];
}

function validateAvoidAnnotation(text: string, path: FieldPath): FieldError[] {
  const { value, problem } = parse(text);
  if (problem !== undefined) return [invalid(path.child("AvoidPods"), avoidAnnotation, problem)];
  return ((value as AvoidPods | null)?.preferAvoidPods ?? []).flatMap((entry, index) => {
    const at = path.child(avoidAnnotation).index(index).child("PodSignature");
    const controller = entry.podSignature?.podController;
    if (!controller) return [required(at)];
    if (controller.controller) return [];
    const field = at.child("PodController").child("Controller");
    return [invalid(field, false, "must point to a controller")];
  });
}

function parse(text: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: parseJson(Buffer.from(text)).value };
  } catch (error) {
    if (error instanceof DecodeError) return { problem: error.message };
    throw error;
  }
}
