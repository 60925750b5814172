import { CelFault } from "../value/cel-fault.ts";
import { CelList, GrowingList } from "../value/cel-list.ts";
import { CelMap } from "../value/cel-map.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { goTypeName } from "../value/go-type-name.ts";
import { GrowingMap } from "../value/growing-map.ts";
import type { Frame, Step } from "./frame.ts";

/** A compiled comprehension; variables are identified by their slots. */
interface FoldPlan {
  readonly range: Step;
  readonly variable: number;
  readonly variable2?: number;
  readonly accumulator: number;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
}

/**
 * Computes a comprehension.
 *
 * Upstream: vendor/github.com/google/cel-go/interpreter/interpretable.go.
 */
export function foldStep(plan: FoldPlan): Step {
  const { range, accumulator, result } = plan;
  return (frame) => {
    frame.slots[accumulator] = undefined;
    const over = range(frame);
    if (over instanceof CelFault) return over;
    const iterated =
      plan.variable2 === undefined ? iterate(frame, plan, over) : iterateTwo(frame, plan, over);
    return iterated ?? finish(result(frame));
  };
}

function iterate(frame: Frame, plan: FoldPlan, over: CelValue): CelFault | undefined {
  const { slots } = frame;
  if (over instanceof CelList) {
    const { length } = over;
    for (let i = 0; i < length; i++) {
      slots[plan.variable] = over.at(i);
      if (!advance(frame, plan)) break;
    }
  } else if (over instanceof CelMap) {
    for (const key of over.keys()) {
      slots[plan.variable] = key;
      if (!advance(frame, plan)) break;
    }
  } else {
    return new CelFault(`got '${goTypeName(over)}', expected iterable type`);
  }
  return undefined;
}

function iterateTwo(frame: Frame, plan: FoldPlan, over: CelValue): CelFault | undefined {
  const { slots } = frame;
  const second = plan.variable2 ?? 0;
  if (over instanceof CelMap) {
    for (const key of over.keys()) {
      slots[plan.variable] = key;
      slots[second] = over.find(key) ?? null;
      if (!advance(frame, plan)) break;
    }
  } else if (over instanceof CelList) {
    const { length } = over;
    for (let i = 0; i < length; i++) {
      slots[plan.variable] = BigInt(i);
      slots[second] = over.at(i);
      if (!advance(frame, plan)) break;
    }
  } else {
    return new CelFault(`unsupported comprehension range type: ${goTypeName(over)}`);
  }
  return undefined;
}

/** One iteration; false when the condition stops the loop. */
function advance(frame: Frame, plan: FoldPlan): boolean {
  if (plan.condition(frame) === false) return false;
  frame.slots[plan.accumulator] = plan.step(frame);
  return true;
}

/** Converts the accumulator to an immutable value. */
function finish(value: CelResult): CelResult {
  return value instanceof GrowingList ? value.finish() : value;
}

/** Reads an accumulator; its initial value is computed on first read. */
export function accumulatorStep(slot: number, init: Step): Step {
  return (frame) => {
    const known = frame.slots[slot];
    if (known !== undefined) return known;
    const value = growing(init(frame));
    frame.slots[slot] = value;
    return value;
  };
}

/** An empty list or map that can be extended in place. */
function growing(value: CelResult): CelResult {
  if (value instanceof CelList && value.length === 0) return new GrowingList();
  if (value instanceof CelMap && value.size === 0) return new GrowingMap();
  return value;
}
