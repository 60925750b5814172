import { costs } from "../model/call-cost.ts";
import type {
  Checked,
  CheckedCall,
  CheckedFold,
  CheckedMap,
  CheckedStruct,
} from "../model/checked.ts";
import type { TypeProvider } from "../model/type-provider.ts";
import { CelFault } from "../value/cel-fault.ts";
import { ArrayList } from "../value/cel-list.ts";
import { EntryMap } from "../value/cel-map.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { goText } from "../value/go-text.ts";
import { goTypeName } from "../value/go-type-name.ts";
import { toCelValue } from "../value/json-value.ts";
import { Optional } from "../value/optional.ts";
import { type Attribute, qualify, readAttribute, resolveAttribute } from "./attribute.ts";
import { planCall } from "./call.ts";
import { accumulatorStep, foldStep } from "./fold.ts";
import { Frame, type Step } from "./frame.ts";
import { isKey } from "./member.ts";
import { equalStep, logicalStep, notEqualStep, notFalseStep, orElseStep } from "./operator-step.ts";
import { PlanError, type Planned } from "./planned.ts";
import { computedQualifier, constantQualifier, presenceQualifier } from "./qualifier.ts";

/** A compiled expression and the number of slots for its variables. */
export interface Plan {
  readonly step: Step;
  readonly slotCount: number;
}

/**
 * Compiles a checked expression to closures. Constant parts are computed at compile time. Throws
 * PlanError if one of them has no value.
 *
 * Upstream: vendor/github.com/google/cel-go/interpreter/planner.go, decorators.go.
 */
export function plan(expr: Checked, provider: TypeProvider): Plan {
  const planner = new Planner(provider);
  const { step } = planner.plan(expr);
  return { step, slotCount: planner.slotCount };
}

class Planner {
  readonly #provider: TypeProvider;
  readonly #locals = new Map<string, Step[]>();
  slotCount = 0;

  constructor(provider: TypeProvider) {
    this.#provider = provider;
  }

  plan(expr: Checked): Planned {
    switch (expr.kind) {
      case "constant":
        return constant(expr.value);
      case "variable":
        return fromAttribute({
          kind: "path",
          root: this.#variable(expr.name, expr.local),
          qualifiers: [],
        });
      case "select":
        return this.#select(this.plan(expr.operand), expr.field, expr.testOnly);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return { step: this.#struct(expr) };
      case "fold":
        return { step: this.#fold(expr) };
    }
  }

  #variable(name: string, local: boolean): Step {
    const step = local ? this.#locals.get(name)?.at(-1) : undefined;
    return step ?? ((frame) => readBinding(frame, name));
  }

  #select(operand: Planned, field: string, testOnly: boolean): Planned {
    const attribute = asAttribute(operand);
    if (!testOnly) return fromAttribute(qualify(attribute, constantQualifier(field, false)));
    const resolve = resolveAttribute(qualify(attribute, presenceQualifier(field)));
    return {
      step: (frame) => {
        const found = resolve(frame);
        return found instanceof Optional ? found.hasValue : found;
      },
    };
  }

  #call(expr: CheckedCall): Planned {
    const parts = expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    const args = parts.map((part) => this.plan(part));
    const [first, second, third] = args;
    if (first !== undefined && expr.decl.name === "@not_strictly_false") {
      return { step: notFalseStep(first.step) };
    }
    if (first !== undefined && second !== undefined) {
      switch (expr.decl.name) {
        case "_&&_":
        case "_||_":
          return { step: logicalStep(first.step, second.step, expr.decl.name === "_||_") };
        case "_?_:_":
          if (third !== undefined) return choice(first, second, third);
          break;
        case "_==_":
          return { step: equalStep(first.step, second.step) };
        case "_!=_":
          return { step: notEqualStep(first.step, second.step) };
        case "_[_]":
          return index(first, second, false);
        case "_[?_]":
        case "_?._":
          return index(first, second, true);
        case "or":
        case "orValue":
          return { step: orElseStep(first.step, second.step, expr.decl.name === "orValue") };
        default:
      }
    }
    return planCall(expr, args);
  }

  #list({ elements }: Checked & { kind: "list" }): Planned {
    const parts = elements.map(({ value, optional }) => ({ ...this.plan(value), optional }));
    const build = (frame: Frame): CelResult => {
      const values: CelValue[] = [];
      for (const { step, optional } of parts) {
        const value = step(frame);
        if (value instanceof CelFault) return value;
        if (!optional) values.push(value);
        else if (!(value instanceof Optional)) return notOptional("list element", value);
        else if (value.value !== undefined) values.push(value.value);
      }
      return new ArrayList(values);
    };
    return constructed(build, parts, costs.list);
  }

  #map({ entries }: CheckedMap): Planned {
    const parts = entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    const build = (frame: Frame): CelResult => {
      const map = new EntryMap();
      for (const part of parts) {
        const key = part.key.step(frame);
        if (key instanceof CelFault) return key;
        const value = part.value.step(frame);
        if (value instanceof CelFault) return value;
        if (!part.optional) map.set(key, value);
        else if (!(value instanceof Optional)) return notOptional(`entry '${goText(key)}'`, value);
        else if (value.value === undefined) map.delete(key);
        else map.set(key, value.value);
      }
      return map;
    };
    return constructed(
      build,
      parts.flatMap(({ key, value }) => [key, value]),
      costs.map,
    );
  }

  #struct({ typeName, fields }: CheckedStruct): Step {
    const parts = fields.map((field) => ({ ...field, step: this.plan(field.value).step }));
    const build = (frame: Frame): CelResult => {
      const values = new Map<string, CelValue>();
      for (const { name, step, optional } of parts) {
        const value = step(frame);
        if (value instanceof CelFault) return value;
        if (!optional) values.set(name, value);
        else if (!(value instanceof Optional)) return notOptional(`entry '${name}'`, value);
        else if (value.value === undefined) values.delete(name);
        else values.set(name, value.value);
      }
      return (
        this.#provider.construct?.(typeName, values) ?? new CelFault(`unknown type '${typeName}'`)
      );
    };
    return charged(build, costs.struct);
  }

  #fold(expr: CheckedFold): Step {
    const init = this.plan(expr.init).step;
    const range = this.plan(expr.range).step;
    const accumulator = this.slotCount++;
    const variable = this.slotCount++;
    const variable2 = expr.variable2 === undefined ? undefined : this.slotCount++;
    this.#declare(expr.accumulator, accumulatorStep(accumulator, init));
    this.#declare(expr.variable, slotStep(variable));
    if (expr.variable2 !== undefined && variable2 !== undefined) {
      this.#declare(expr.variable2, slotStep(variable2));
    }
    const condition = this.plan(expr.condition).step;
    const step = this.plan(expr.step).step;
    if (expr.variable2 !== undefined) this.#forget(expr.variable2);
    this.#forget(expr.variable);
    const result = this.plan(expr.result).step;
    this.#forget(expr.accumulator);
    const slots = { accumulator, variable, ...(variable2 !== undefined && { variable2 }) };
    return foldStep({ ...slots, range, condition, step, result });
  }

  #declare(name: string, step: Step): void {
    const steps = this.#locals.get(name) ?? [];
    steps.push(step);
    this.#locals.set(name, steps);
  }

  #forget(name: string): void {
    this.#locals.get(name)?.pop();
  }
}

function readBinding({ bindings }: Frame, name: string): CelResult {
  if (!Object.hasOwn(bindings, name)) return new CelFault(`no such attribute(s): ${name}`);
  return toCelValue(bindings[name]);
}

const slotStep =
  (slot: number): Step =>
  (frame) =>
    frame.slots[slot] ?? null;

function constant(value: CelValue): Planned {
  return { step: () => value, constant: { value } };
}

function fromAttribute(attribute: Attribute): Planned {
  return { step: readAttribute(attribute), attribute };
}

/** An expression as an attribute, to which a path can be added. */
function asAttribute({ step, attribute }: Planned): Attribute {
  return attribute ?? { kind: "path", root: step, qualifiers: [] };
}

function choice(condition: Planned, truthy: Planned, falsy: Planned): Planned {
  return fromAttribute({
    kind: "choice",
    condition: condition.step,
    truthy: asAttribute(truthy),
    falsy: asAttribute(falsy),
  });
}

function index(operand: Planned, key: Planned, optional: boolean): Planned {
  const attribute = asAttribute(operand);
  if (key.constant === undefined) {
    const step = key.attribute === undefined ? key.step : resolveAttribute(key.attribute);
    return fromAttribute(qualify(attribute, computedQualifier(step, optional)));
  }
  const { value } = key.constant;
  if (!isKey(value)) throw new PlanError(`invalid qualifier type: ${goTypeName(value)}`);
  return fromAttribute(qualify(attribute, constantQualifier(value, optional)));
}

/**
 * A literal list or map: created at compile time if its parts are constant, else in each
 * evaluation, with a cost.
 */
function constructed(build: Step, parts: readonly Planned[], cost: number): Planned {
  if (!parts.every((part) => part.constant !== undefined)) return { step: charged(build, cost) };
  const value = build(new Frame({}, 0, 0));
  return value instanceof CelFault ? { step: () => value } : constant(value);
}

function charged(build: Step, cost: number): Step {
  return (frame) => {
    const value = build(frame);
    frame.charge(cost);
    return value;
  };
}

function notOptional(what: string, value: CelValue): CelFault {
  return new CelFault(
    `cannot initialize optional ${what} from non-optional value ${goText(value)}`,
  );
}
