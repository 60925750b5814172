import { formatShortest } from "#/std/go/float.ts";
import { type FieldError, invalid } from "../meta/field-error.ts";
import { goNumber } from "../values/go-format.ts";
import { isNearInteger } from "./type-check.ts";
import { childPath, type ValidationRun } from "./validation-run.ts";

/** A schema's rules for numbers. */
export interface NumberRule {
  /** "integer" or "number" if it is the only type of the schema, else "". */
  readonly type: string;
  /** int32, int64, float or double if it matches the type, else "". */
  readonly format: string;
  readonly multipleOf?: number | undefined;
  readonly minimum?: number | undefined;
  readonly exclusiveMinimum?: boolean | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMaximum?: boolean | undefined;
}

/**
 * Checks a number against its bounds. As upstream, bounds that are outside the range of the type
 * are reported, too.
 *
 * Upstream: vendor/k8s.io/kube-openapi/pkg/validation/validate/validator.go, values.go.
 */
export function checkNumber(rule: NumberRule, value: number | bigint, run: ValidationRun): void {
  checkRange(rule, value, "Checked", run);
  if (rule.multipleOf !== undefined) {
    checkMultiple(rule, value, rule.multipleOf, run);
  }
  if (rule.minimum !== undefined) {
    const words = rule.exclusiveMinimum ? "greater than" : "greater than or equal to";
    const bound = nativeBound(rule, value, rule.minimum, "Minimum boundary", run);
    const broken = rule.exclusiveMinimum ? value <= bound.limit : value < bound.limit;
    if (broken) report(run, `should be ${words} ${bound.text}`, value);
  }
  if (rule.maximum !== undefined) {
    const words = rule.exclusiveMaximum ? "less than" : "less than or equal to";
    const bound = nativeBound(rule, value, rule.maximum, "Maximum boundary", run);
    const broken = rule.exclusiveMaximum ? value >= bound.limit : value > bound.limit;
    if (broken) report(run, `should be ${words} ${bound.text}`, value);
  }
}

/**
 * A bound as it is compared and printed: truncated for integers, if it is in the range of the type.
 */
function nativeBound(
  rule: NumberRule,
  value: number | bigint,
  bound: number,
  what: string,
  run: ValidationRun,
): { limit: number; text: string } {
  const native = checkRange(rule, bound, what, run) && isInteger(value);
  const limit = native ? Math.trunc(bound) : bound;
  return { limit, text: native ? goNumber(limit) : formatShortest(limit) };
}

function checkMultiple(
  rule: NumberRule,
  value: number | bigint,
  factor: number,
  run: ValidationRun,
): void {
  const native = checkRange(rule, factor, "MultipleOf", run) && isInteger(value);
  const divisor = native ? Math.trunc(factor) : factor;
  const text = native ? goNumber(divisor) : formatShortest(divisor);
  if (divisor <= 0) {
    const message = `factor MultipleOf declared for ${run.name} must be positive: ${text}`;
    const { name } = run;
    run.add({ message, toFieldError: (base) => invalid(childPath(base, name), divisor, message) });
    return;
  }
  const exact = native
    ? BigInt(value) % BigInt(divisor) === 0n
    : isNearInteger(divisor < 1 ? (1 / divisor) * Number(value) : Number(value) / divisor);
  if (!exact) report(run, `should be a multiple of ${text}`, value);
}

const int32Limit = 2 ** 31;
const int64Limit = 2 ** 63;

/** Whether a number is in the range of the type; reports it if not. */
function checkRange(
  { type, format }: NumberRule,
  value: number | bigint,
  what: string,
  run: ValidationRun,
): boolean {
  const limit = format === "int32" ? int32Limit : int64Limit;
  const fits =
    type === "integer"
      ? isInteger(value) && value < limit && value >= -limit
      : format !== "float" || Number.isFinite(Math.fround(Number(value)));
  if (fits) return true;
  const kind = format === "" ? "(default format)" : `with format ${format}`;
  run.reportWithoutField(`${what} value must be of type ${type} ${kind} in ${run.name}`);
  return false;
}

function isInteger(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}

function report(run: ValidationRun, text: string, value: unknown): void {
  run.report(text, (path, message): FieldError => invalid(path, value, message));
}
