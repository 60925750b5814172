import { innerSize, textCost } from "../cost/actual-size.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { CelObject } from "../value/cel-object.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { equals } from "../value/equality.ts";
import { Optional } from "../value/optional.ts";
import type { Step } from "./frame.ts";

/** && or ||: a deciding value is the result even if the other operand is a fault. */
export function logicalStep(left: Step, right: Step, deciding: boolean): Step {
  return (frame) => {
    const first = left(frame);
    if (first === deciding) return deciding;
    const second = right(frame);
    if (second === deciding) return deciding;
    return notBoolean(first) ?? notBoolean(second) ?? !deciding;
  };
}

function notBoolean(value: CelResult): CelFault | undefined {
  if (typeof value === "boolean") return undefined;
  return value instanceof CelFault ? value : noSuchOverload;
}

/** The continuation condition of a comprehension: anything but false, including faults. */
export function notFalseStep(operand: Step): Step {
  return (frame) => {
    const value = operand(frame);
    frame.charge(1);
    return typeof value === "boolean" ? value : true;
  };
}

/** ==; its cost depends on the sizes of the operands. */
export function equalStep(left: Step, right: Step): Step {
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    const result = equalResult(a, b);
    frame.charge(a instanceof CelObject ? 1 : comparisonCost(a, b));
    return result;
  };
}

/** !=; true for values that are not comparable. */
export function notEqualStep(left: Step, right: Step): Step {
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    const result = a instanceof CelFault ? a : b instanceof CelFault ? b : equals(a, b) !== true;
    frame.charge(comparisonCost(a, b));
    return result;
  };
}

function equalResult(a: CelResult, b: CelResult): CelResult {
  if (a instanceof CelFault) return a;
  return b instanceof CelFault ? b : equals(a, b);
}

function comparisonCost(a: CelResult, b: CelResult): number {
  if (isPlain(a) && isPlain(b)) return 1;
  return textCost(Math.min(innerSize(a), innerSize(b)));
}

const isPlain = (value: CelResult): boolean =>
  typeof value !== "object" && typeof value !== "string";

/** optional.or(other) and optional.orValue(value): the alternative is computed only if needed. */
export function orElseStep(optional: Step, otherwise: Step, unwrap: boolean): Step {
  return (frame) => {
    const found = optional(frame);
    if (found instanceof CelFault) return found;
    if (!(found instanceof Optional)) return noSuchOverload;
    if (found.value === undefined) return otherwise(frame);
    return unwrap ? found.value : (found satisfies CelValue);
  };
}
