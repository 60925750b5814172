import type { Validator } from "../check/validator.ts";
import { walk } from "../check/walk.ts";
import type { Checked, CheckedCall } from "../model/checked.ts";
import { compileRegex, PatternError } from "../runtime/pattern.ts";
import type { Issues } from "../syntax/issues.ts";
import { type CelType, formatType, isOptionalType, parameterOf } from "../type/cel-type.ts";
import { CelFault } from "../value/cel-fault.ts";
import type { CelValue } from "../value/cel-value.ts";
import { toDuration, toTimestamp } from "../value/conversion.ts";
import { Duration } from "../value/duration.ts";
import { Timestamp } from "../value/timestamp.ts";

/**
 * Finds invalid literals, and lists and maps of mixed types.
 *
 * Upstream: vendor/github.com/google/cel-go/cel/validator.go.
 */
export const literalValidators: readonly Validator[] = [
  argumentValidator("duration", (value) => {
    return value instanceof Duration || !(toDuration(value) instanceof CelFault);
  }),
  argumentValidator("timestamp", (value) => {
    return value instanceof Timestamp || !(toTimestamp(value) instanceof CelFault);
  }),
  argumentValidator("matches", isPattern),
  validateMixedLiterals,
];

/** A validator of a function's first argument, if it is a literal. */
function argumentValidator(name: string, isValid: (value: CelValue) => boolean): Validator {
  return (root, issues) => {
    walk(root, (expr) => {
      const [arg] = expr.kind === "call" && expr.decl.name === name ? expr.args : [];
      if (arg?.kind !== "constant" || isValid(arg.value)) return;
      issues.report(arg.offset, `invalid ${name} argument`);
    });
  };
}

function isPattern(value: CelValue): boolean {
  try {
    if (typeof value === "string") compileRegex(value);
    return true;
  } catch (error) {
    if (error instanceof PatternError) return false;
    throw error;
  }
}

function validateMixedLiterals(root: Checked, issues: Issues): void {
  walk(root, (expr, ancestors) => {
    if ((expr.kind !== "list" && expr.kind !== "map") || ancestors.some(isFormatCall)) return;
    if (expr.kind === "list") {
      const elements = expr.elements.map((element) => typed(element.value, element.optional));
      const [first] = elements;
      const odd = first && elements.find(({ type }) => !first.type.isEquivalentTo(type));
      if (first !== undefined && odd !== undefined) reportMismatch(issues, first, odd);
      return;
    }
    const keys = expr.entries.map(({ key }) => typed(key, false));
    const values = expr.entries.map(({ value, optional }) => typed(value, optional));
    for (const parts of [keys, values]) {
      const [first] = parts;
      for (const part of parts) {
        if (first && !first.type.isEquivalentTo(part.type)) reportMismatch(issues, first, part);
      }
    }
  });
}

const isFormatCall = (expr: Checked): expr is CheckedCall =>
  expr.kind === "call" && expr.decl.name === "format";

interface Typed {
  readonly offset: number;
  readonly type: CelType;
}

/** A part of a literal with its type; for an optional part, the type inside the optional. */
function typed(expr: Checked, optional: boolean): Typed {
  const unwrap = optional && isOptionalType(expr.type);
  return { offset: expr.offset, type: unwrap ? parameterOf(expr.type) : expr.type };
}

function reportMismatch(issues: Issues, expected: Typed, actual: Typed): void {
  const types = `'${formatType(expected.type)}' but found '${formatType(actual.type)}'`;
  issues.report(actual.offset, `expected type ${types}`);
}
