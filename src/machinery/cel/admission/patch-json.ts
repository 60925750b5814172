import { JsonPatchValue, ObjectPatchValue, objectTypeProblems } from "../library/patch-types.ts";
import { CelFault, CostLimitExceeded } from "../value/cel-fault.ts";
import { CelList } from "../value/cel-list.ts";
import { CelMap } from "../value/cel-map.ts";
import { type CelResult, type CelValue, typeOf } from "../value/cel-value.ts";
import { Duration } from "../value/duration.ts";
import { spendEffort, withEffort } from "../value/effort.ts";
import { Optional } from "../value/optional.ts";
import { Timestamp } from "../value/timestamp.ts";
import { Uint } from "../value/uint.ts";

/** The value of an expression is not a valid patch. */
export class PatchValueError extends Error {
  override readonly name = "PatchValueError";
}

/** Limit of values in a patch (count). */
const maxParts = 1_000_000;

/** One operation of a JSON patch, in wire form. */
interface PatchOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/**
 * Converts the value of an expression of type list(JSONPatch) to a JSON patch. Throws
 * PatchValueError.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch.
 */
export function patchOperations(list: CelValue): PatchOperation[] {
  return withinSize(() => operationsOf(list));
}

function operationsOf(list: CelValue): PatchOperation[] {
  const expected = "type mismatch: JSONPatchType.expression should evaluate to array";
  if (!(list instanceof CelList)) throw new PatchValueError(expected);
  return Array.from(list, (element) => {
    if (!(element instanceof JsonPatchValue)) {
      throw new PatchValueError(`${expected} of JSONPatch`);
    }
    return patchOperation(element);
  });
}

function patchOperation({ fields }: JsonPatchValue): PatchOperation {
  const text = (name: string) => String(fields.get(name) ?? "");
  const from = text("from");
  const value = fields.get("value");
  return {
    op: text("op"),
    path: text("path"),
    ...(from !== "" && { from }),
    ...(value !== undefined && { value: patchValue(value) }),
  };
}

function patchValue(value: CelValue): unknown {
  if (value instanceof ObjectPatchValue) failOnTypeProblems(value);
  try {
    return toJson(value);
  } catch (error) {
    if (!(error instanceof PatchValueError)) throw error;
    const what = "JSONPath valueExpression evaluated to a type that could not marshal to JSON";
    throw new PatchValueError(`${what}: ${error.message}`);
  }
}

/**
 * Converts the value of an expression of type Object to an apply configuration. Throws
 * PatchValueError.
 */
export function applyConfiguration(value: CelValue): Record<string, unknown> {
  if (!(value instanceof ObjectPatchValue)) {
    const type = typeOf(value);
    throw new PatchValueError(
      `unsupported return type from ApplyConfiguration expression: ${type}`,
    );
  }
  return withinSize(() => {
    failOnTypeProblems(value);
    return fieldsToJson(value);
  });
}

/** A value may contain the same list many times, and each occurrence would be written. */
function withinSize<Result>(convert: () => Result): Result {
  try {
    return withEffort(convert, maxParts);
  } catch (error) {
    if (error instanceof CostLimitExceeded) throw new PatchValueError("patch is too large");
    throw error;
  }
}

function failOnTypeProblems(object: ObjectPatchValue): void {
  const problems = objectTypeProblems(object);
  if (problems.length > 0) throw new PatchValueError(`type mismatch: ${problems.join("\n")}`);
}

function fieldsToJson({ fields }: ObjectPatchValue): Record<string, unknown> {
  spendEffort(fields.size);
  return Object.fromEntries(Array.from(fields, ([name, field]) => [name, toJson(field)]));
}

/**
 * A value as JSON; numbers that JSON cannot represent exactly are strings. Throws PatchValueError.
 */
function toJson(value: CelResult): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return safeNumber(value);
  if (value instanceof CelFault) throw new PatchValueError(value.message);
  if (value instanceof Uint) return safeNumber(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Timestamp || value instanceof Duration) return value.toString();
  if (value instanceof CelList) return Array.from(value, toJson);
  if (value instanceof CelMap) return mapToJson(value);
  if (value instanceof ObjectPatchValue) return fieldsToJson(value);
  if (value instanceof Optional && value.value !== undefined) return toJson(value.value);
  throw new PatchValueError(`type conversion error from '${typeOf(value)}' to '*structpb.Value'`);
}

function safeNumber(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function mapToJson(map: CelMap): Record<string, unknown> {
  const entries = Array.from(map.entries(), ([key, value]): [string, unknown] => {
    if (typeof key !== "string") {
      throw new PatchValueError(`unsupported type conversion from '${typeOf(key)}' to string`);
    }
    return [key, toJson(value)];
  });
  return Object.fromEntries(entries);
}
