import type { ActualCost } from "../model/call-cost.ts";
import type { CheckedCall } from "../model/checked.ts";
import type { Implementation } from "../model/declaration.ts";
import { CelFault } from "../value/cel-fault.ts";
import { CelList } from "../value/cel-list.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { constantSet } from "./constant-set.ts";
import { dispatch } from "./dispatch.ts";
import { Frame, type Step } from "./frame.ts";
import { compilePattern } from "./pattern.ts";
import { PlanError, type Planned } from "./planned.ts";

/** Functions that are computed at compile time for a constant. */
const conversions: ReadonlySet<string> = new Set([
  ...["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"],
]);

/** A call of a function, other than the operators with special rules. */
export function planCall(expr: CheckedCall, args: readonly Planned[]): Planned {
  const { decl, overloads } = expr;
  const overloadId = overloads.length === 1 ? (overloads[0]?.id ?? "") : "";
  if (overloadId === "in_list") {
    const membership = planMembership(args);
    if (membership !== undefined) return membership;
  }
  const cost = (overloadId === "" ? undefined : overloads[0]?.cost) ?? decl.cost;
  const { call, eager } = dispatch(decl, overloads, args.length);
  const fixed = fixedPattern(decl.name, args);
  const steps = args.map(({ step }) => step);
  const step = callStep(fixed ?? call, steps, {
    eager: eager || fixed !== undefined,
    heavy: decl.heavy ?? false,
    cost,
    overloadId,
  });
  if (!conversions.has(decl.name) || args.length !== 1 || args[0]?.constant === undefined)
    return { step };
  const value = step(new Frame({}, 0, Number.POSITIVE_INFINITY));
  if (value instanceof CelFault) throw new PlanError(value.message);
  return { step: () => value, constant: { value } };
}

interface CallOptions {
  readonly eager: boolean;
  /** The cost is charged before the call. */
  readonly heavy: boolean;
  readonly cost: ActualCost | undefined;
  readonly overloadId: string;
}

function callStep(call: Implementation, steps: readonly Step[], options: CallOptions): Step {
  const [first, second] = steps;
  if (options.eager || options.heavy || first === undefined) return anyStep(call, steps, options);
  return second === undefined
    ? unaryStep(call, first, options)
    : binaryStep(call, first, second, options);
}

function unaryStep(call: Implementation, arg: Step, { cost, overloadId }: CallOptions): Step {
  return (frame) => {
    const a = arg(frame);
    const result = a instanceof CelFault ? a : call(a);
    frame.charge(cost === undefined ? 1 : cost([a], result, overloadId));
    return result;
  };
}

function binaryStep(
  call: Implementation,
  left: Step,
  right: Step,
  { cost, overloadId }: CallOptions,
): Step {
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    const result = a instanceof CelFault ? a : b instanceof CelFault ? b : call(a, b);
    frame.charge(cost === undefined ? 1 : cost([a, b], result, overloadId));
    return result;
  };
}

/**
 * A call that stops at a fault, if it is eager; it is charged only if all of its arguments have
 * been computed.
 */
function anyStep(
  call: Implementation,
  steps: readonly Step[],
  { eager, heavy, cost, overloadId }: CallOptions,
): Step {
  return (frame) => {
    const args: CelResult[] = [];
    let fault: CelFault | undefined;
    for (const step of steps) {
      if (eager && fault !== undefined) return fault;
      const arg = step(frame);
      args.push(arg);
      if (arg instanceof CelFault) fault ??= arg;
    }
    const charge = (result: CelResult) =>
      frame.charge(cost === undefined ? 1 : cost(args, result, overloadId));
    if (heavy) charge(null);
    const result = fault ?? call(...(args as CelValue[]));
    if (!heavy) charge(result);
    return result;
  };
}

/** Membership in a constant list is a lookup without cost. */
function planMembership([element, list]: readonly Planned[]): Planned | undefined {
  const values = list?.constant?.value;
  if (element === undefined || !(values instanceof CelList)) return undefined;
  if (values.length === 0) return { step: () => false, constant: { value: false } };
  const contains = constantSet(values);
  if (contains === undefined) return undefined;
  const { step } = element;
  return {
    step: (frame) => {
      const value = step(frame);
      return value instanceof CelFault ? value : contains(value);
    },
  };
}

/** Functions of a string and a pattern; a constant pattern is compiled at compile time. */
function fixedPattern(name: string, args: readonly Planned[]): Implementation | undefined {
  const pattern = args[1]?.constant?.value;
  if (typeof pattern !== "string") return undefined;
  return compilePattern(name, pattern);
}
