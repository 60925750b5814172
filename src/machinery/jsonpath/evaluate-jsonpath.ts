import { type Expression, JsonPathError, type JsonPathNode } from "./jsonpath-node.ts";

/** How much a path may find before it is given up: `..` on `..` multiplies. */
const maxResults = 1_000_000;

export interface EvaluateOptions {
  /** A missing field is nothing instead of an error, as `kubectl get -o jsonpath` has it by default. */
  readonly allowMissing: boolean;
}

/** What a path finds in a value, in order. Throws JsonPathError. */
export function findAll(
  expression: Expression,
  value: unknown,
  options: EvaluateOptions,
): readonly unknown[] {
  if ("literal" in expression) return [expression.literal];
  let found: readonly unknown[] = [value];
  for (const step of expression.steps) {
    const next: unknown[] = [];
    for (const item of found) for (const result of take(step, item, options)) next.push(result);
    if (next.length > maxResults) throw new JsonPathError("jsonpath finds too much");
    found = next;
  }
  return found;
}

function take(step: JsonPathNode, value: unknown, options: EvaluateOptions): readonly unknown[] {
  switch (step.type) {
    case "field":
      return field(step.name, value, options);
    case "array":
      return slice(step, value, options);
    case "wildcard":
      return children(value);
    case "recursive":
      return descend(value);
    case "filter":
      return filter(step, value);
    case "union":
      return step.alternatives.flatMap((alternative) => findAll(alternative, value, options));
    case "text":
    case "range":
      throw new JsonPathError(`unexpected ${step.type} in a path`);
  }
}

function field(
  name: string,
  value: unknown,
  { allowMissing }: EvaluateOptions,
): readonly unknown[] {
  if (isRecord(value) && Object.hasOwn(value, name)) return [value[name]];
  if (allowMissing || value === null || value === undefined) return [];
  throw new JsonPathError(`${name} is not found`);
}

type ArrayStep = Extract<JsonPathNode, { type: "array" }>;

function slice(
  step: ArrayStep,
  value: unknown,
  { allowMissing }: EvaluateOptions,
): readonly unknown[] {
  if (!Array.isArray(value)) {
    if (allowMissing && (value === null || value === undefined)) return [];
    throw new JsonPathError(`${typeof value} is not array or slice`);
  }
  const { length } = value;
  const at = (index: number) => (index < 0 ? index + length : index);
  if (step.single) {
    const index = at(step.start ?? 0);
    if (index >= 0 && index < length) return [value[index]];
    if (allowMissing) return [];
    throw new JsonPathError(
      `array index out of bounds: index ${step.start ?? 0}, length ${length}`,
    );
  }
  const by = step.step ?? 1;
  if (by <= 0) throw new JsonPathError(`step must be > 0`);
  const found: unknown[] = [];
  const end = Math.min(step.end === undefined ? length : at(step.end), length);
  for (let index = Math.max(at(step.start ?? 0), 0); index < end; index += by)
    found.push(value[index]);
  return found;
}

function children(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}

/** The value itself and everything below it that is not a scalar. */
function descend(value: unknown): readonly unknown[] {
  const found: unknown[] = [];
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.shift();
    if (!Array.isArray(next) && !isRecord(next)) continue;
    if (!Array.isArray(next)) found.push(next);
    pending.unshift(...children(next));
    if (found.length > maxResults) throw new JsonPathError("jsonpath finds too much");
  }
  return found;
}

type FilterStep = Extract<JsonPathNode, { type: "filter" }>;

function filter({ left, operator, right }: FilterStep, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const lenient = { allowMissing: true };
  return value.filter((item) => {
    const lefts = findAll(left, item, lenient);
    if (operator === "") return lefts.length > 0;
    const [a] = lefts;
    const [b] = right ? findAll(right, item, lenient) : [];
    if (lefts.length === 0 || b === undefined) return false;
    if (operator === "==") return a === b;
    if (operator === "!=") return a !== b;
    return ordered(operator, a, b);
  });
}

function ordered(operator: string, a: unknown, b: unknown): boolean {
  if (typeof a !== typeof b || (typeof a !== "number" && typeof a !== "string")) {
    throw new JsonPathError("incompatible types for comparison");
  }
  const order = a < (b as typeof a) ? -1 : a > (b as typeof a) ? 1 : 0;
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  return operator === ">" ? order > 0 : order >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
