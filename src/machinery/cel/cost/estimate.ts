import { costs, type EstimatedNode, type SizeEstimator } from "../model/call-cost.ts";
import type { Checked, CheckedCall, CheckedFold, CheckedSelect } from "../model/checked.ts";
import {
  addRanges,
  exactly,
  multiplyRanges,
  type Range,
  unionRanges,
  unknownRange,
  zeroRange,
} from "../model/range.ts";
import { CelType, parameterOf } from "../type/cel-type.ts";
import { codePointCount } from "../value/text.ts";
import { maxUint64 } from "../value/uint.ts";
import { standardEstimate } from "./standard-estimate.ts";

/**
 * Estimates the minimum and maximum cost of an expression, given bounds of its inputs' sizes.
 *
 * Upstream: vendor/github.com/google/cel-go/checker/cost.go.
 */
export function estimateCost(expr: Checked, estimateSize: SizeEstimator = () => undefined): Range {
  return new Estimator(estimateSize).cost(expr);
}

/** Sizes of the keys (or indices) and values of a list or map. */
interface EntrySize {
  readonly container: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

/** The known facts about a variable of a comprehension. */
interface Local {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entrySize: EntrySize | undefined;
}

const accessCost = exactly(costs.access);

/** The empty range: the neutral element of unions. */
const nothing: Range = { min: maxUint64, max: 0n };

/** The estimator's results for one expression. */
class Estimator {
  readonly #estimateSize: SizeEstimator;
  readonly #paths = new Map<Checked, readonly string[]>();
  readonly #sizes = new Map<Checked, Range>();
  readonly #entrySizes = new Map<Checked, EntrySize>();
  readonly #locals = new Map<string, Local[]>();

  constructor(estimateSize: SizeEstimator) {
    this.#estimateSize = estimateSize;
  }

  cost(expr: Checked): Range {
    switch (expr.kind) {
      case "constant":
        return this.#constant(expr);
      case "variable":
        this.#paths.set(expr, this.#local(expr.name)?.path ?? [expr.name]);
        return accessCost;
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(
          expr.elements.map(({ value }) => value),
          expr,
        );
      case "map":
        return this.#map(expr);
      case "struct":
        return addRanges(
          ...expr.fields.map(({ value }) => this.cost(value)),
          exactly(costs.struct),
        );
      case "fold":
        return isBinding(expr) ? this.#binding(expr) : this.#fold(expr);
    }
  }

  /** A literal costs nothing; the name of a type costs a variable lookup. */
  #constant(expr: Checked & { kind: "constant" }): Range {
    if (!(expr.value instanceof CelType)) return zeroRange;
    this.#paths.set(expr, [expr.value.name]);
    return accessCost;
  }

  #select(expr: CheckedSelect): Range {
    const operand = this.cost(expr.operand);
    if (expr.testOnly) return operand;
    this.#paths.set(expr, [...this.#path(expr.operand), expr.field]);
    const { kind } = expr.operand.type;
    const isAccess = kind === "map" || kind === "struct" || kind === "param";
    return isAccess ? addRanges(operand, accessCost) : operand;
  }

  #call(expr: CheckedCall): Range {
    const { decl, args, target } = expr;
    if (decl.name === "dyn" && args[0] !== undefined) return this.#dyn(expr, args[0]);
    const argCosts: Range[] = [];
    const nodes: EstimatedNode[] = [];
    for (const arg of args) {
      argCosts.push(this.cost(arg));
      nodes.push(this.#node(arg));
    }
    const targetCost = target === undefined ? zeroRange : this.cost(target);
    const targetNode = target && this.#node(target);
    let cost = nothing;
    let resultSize: Range | undefined;
    for (const overload of expr.overloads) {
      const call = {
        overloadId: overload.id,
        target: targetNode,
        args: nodes,
        sizeOf: (node: EstimatedNode) => this.#nodeSize(node),
      };
      const estimate =
        overload.estimate?.(call) ??
        decl.estimate?.(call) ??
        this.#operator(expr, overload.id, argCosts) ??
        standardEstimate(call);
      const whole = "whole" in estimate ? estimate.cost : addRanges(estimate.cost, ...argCosts);
      cost = unionRanges(cost, whole);
      if (estimate.resultSize !== undefined) {
        resultSize = resultSize
          ? unionRanges(resultSize, estimate.resultSize)
          : estimate.resultSize;
      }
      resultSize = this.#indexed(expr, overload.id, resultSize) ?? this.#size(expr);
    }
    if (resultSize !== undefined) this.#sizes.set(expr, resultSize);
    return addRanges(targetCost, cost);
  }

  /** The path and the size of an element of a list or map. */
  #indexed(expr: CheckedCall, overloadId: string, size: Range | undefined): Range | undefined {
    const [container] = expr.args;
    if (container === undefined || (overloadId !== "index_list" && overloadId !== "index_map")) {
      return size;
    }
    const step = overloadId === "index_list" ? "@items" : "@values";
    this.#paths.set(expr, [...this.#path(container), step]);
    return this.#entrySize(container)?.value;
  }

  /**
   * Operators that do not evaluate all of their operands, or concatenate containers. `whole`: the
   * operands are included.
   */
  #operator(expr: CheckedCall, overloadId: string, argCosts: readonly Range[]) {
    const [first, second, third] = argCosts;
    if (first === undefined || second === undefined) return undefined;
    if (overloadId === "logical_or" || overloadId === "logical_and") {
      return { cost: { min: first.min, max: addRanges(first, second).max }, whole: true };
    }
    if (overloadId === "conditional" && third !== undefined) {
      const [, truthy, falsy] = expr.args;
      if (truthy === undefined || falsy === undefined) return undefined;
      this.#joinEntrySizes(expr, truthy, falsy);
      const resultSize = unionRanges(this.#sizeOrUnknown(truthy), this.#sizeOrUnknown(falsy));
      return { cost: addRanges(first, unionRanges(second, third)), resultSize, whole: true };
    }
    if (overloadId === "add_list" || overloadId === "add_string" || overloadId === "add_bytes") {
      const [left, right] = expr.args;
      if (left !== undefined && right !== undefined) this.#joinEntrySizes(expr, left, right);
    }
    return undefined;
  }

  #joinEntrySizes(expr: Checked, a: Checked, b: Checked): void {
    const left = this.#entrySize(a);
    const right = this.#entrySize(b);
    if (left === undefined || right === undefined) return;
    this.#entrySizes.set(expr, {
      container: left.container,
      key: unionRanges(left.key, right.key),
      value: unionRanges(left.value, right.value),
    });
  }

  #dyn(expr: Checked, arg: Checked): Range {
    const cost = this.cost(arg);
    this.#copySizes(expr, arg);
    return addRanges(cost, exactly(1));
  }

  #list(values: readonly Checked[], expr: Checked): Range {
    let cost = exactly(costs.list);
    let value = values.length === 0 ? zeroRange : nothing;
    for (const element of values) {
      cost = addRanges(cost, this.cost(element));
      value = unionRanges(value, this.#sizeOrUnknown(element));
    }
    this.#entrySizes.set(expr, { container: "list", key: exactly(1), value });
    return cost;
  }

  #map(expr: Checked & { kind: "map" }): Range {
    let cost = exactly(costs.map);
    let key = expr.entries.length === 0 ? zeroRange : nothing;
    let value = key;
    for (const entry of expr.entries) {
      cost = addRanges(cost, this.cost(entry.key), this.cost(entry.value));
      key = unionRanges(key, this.#sizeOrUnknown(entry.key));
      value = unionRanges(value, this.#sizeOrUnknown(entry.value));
    }
    this.#entrySizes.set(expr, { container: "map", key, value });
    return cost;
  }

  #binding(expr: CheckedFold): Range {
    const before = addRanges(this.cost(expr.range), this.cost(expr.init));
    this.#push(expr.accumulator, this.#localOf(expr.init));
    const cost = addRanges(before, this.cost(expr.result));
    this.#pop(expr.accumulator);
    this.#copySizes(expr, expr.result);
    return cost;
  }

  #fold(expr: CheckedFold): Range {
    const before = addRanges(this.cost(expr.range), this.cost(expr.init));
    this.#push(expr.accumulator, this.#localOf(expr.init));
    this.#pushIteration(expr);
    const eachTime = addRanges(this.cost(expr.condition), this.cost(expr.step));
    this.#pop(expr.variable);
    if (expr.variable2 !== undefined) this.#pop(expr.variable2);
    const result = this.cost(expr.result);
    this.#pop(expr.accumulator);
    const times = this.#sizeOrUnknown(expr.range);
    if (expr.init.kind === "constant") {
      this.#setSize(expr, this.#size(expr.init));
    } else if (expr.init.kind === "list" || expr.init.kind === "map") {
      this.#setSize(expr, times);
      const entrySize = this.#entrySize(expr.step);
      if (entrySize !== undefined) this.#entrySizes.set(expr, entrySize);
    }
    return addRanges(before, result, multiplyRanges(times, eachTime));
  }

  #pushIteration({ range, variable, variable2 }: CheckedFold): void {
    const entry = this.#entrySize(range);
    const isList = (entry?.container ?? range.type.kind) === "list";
    const path = this.#path(range);
    const key = { path: [...path, isList ? "@indices" : "@keys"], size: entry?.key };
    const value = { path: [...path, isList ? "@items" : "@values"], size: entry?.value };
    if (variable2 !== undefined) {
      this.#push(variable, { ...key, entrySize: undefined });
      this.#push(variable2, { ...value, entrySize: undefined });
      return;
    }
    this.#push(variable, { ...(isList ? value : key), entrySize: undefined });
  }

  #localOf(expr: Checked): Local {
    return { path: this.#path(expr), size: this.#size(expr), entrySize: this.#entrySize(expr) };
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name) ?? [];
    stack.push(local);
    this.#locals.set(name, stack);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #localFor(expr: Checked): Local | undefined {
    return expr.kind === "variable" ? this.#local(expr.name) : undefined;
  }

  #path(expr: Checked): readonly string[] {
    return this.#localFor(expr)?.path ?? this.#paths.get(expr) ?? [];
  }

  #node(expr: Checked): EstimatedNode {
    const path = this.#path(expr);
    const isOwn = path[0] === "@result" || path[0] === "__result__";
    return { type: expr.type, path: isOwn ? [] : path, expr, size: this.#size(expr) };
  }

  #nodeSize(node: EstimatedNode): Range {
    return node.size ?? this.#estimateSize(node) ?? unknownRange;
  }

  #sizeOrUnknown(expr: Checked): Range {
    return this.#size(expr) ?? unknownRange;
  }

  #size(expr: Checked): Range | undefined {
    const known = this.#sizes.get(expr) ?? literalSize(expr);
    if (known !== undefined) return known;
    const estimated = this.#estimateSize({ type: expr.type, path: this.#path(expr), expr });
    if (estimated !== undefined) {
      this.#sizes.set(expr, estimated);
      return estimated;
    }
    return isScalar(expr.type) ? exactly(1) : this.#localFor(expr)?.size;
  }

  #entrySize(expr: Checked): EntrySize | undefined {
    return this.#entrySizes.get(expr) ?? this.#localFor(expr)?.entrySize;
  }

  #setSize(expr: Checked, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(expr, size);
  }

  #copySizes(to: Checked, from: Checked): void {
    this.#setSize(to, this.#size(from));
    const entrySize = this.#entrySize(from);
    if (entrySize !== undefined) this.#entrySizes.set(to, entrySize);
  }
}

/** A fold over an empty range, which only binds a name to a value. */
function isBinding({ range, condition }: CheckedFold): boolean {
  const isEmpty = range.kind === "list" && range.elements.length === 0;
  return isEmpty && condition.kind === "constant" && condition.value === false;
}

function literalSize(expr: Checked): Range | undefined {
  if (expr.kind === "list") return exactly(expr.elements.length);
  if (expr.kind === "map") return exactly(expr.entries.length);
  if (expr.kind !== "constant" || expr.value instanceof CelType) return undefined;
  if (typeof expr.value === "string") return exactly(codePointCount(expr.value));
  if (expr.value instanceof Uint8Array) return exactly(expr.value.length);
  return exactly(1);
}

/** Types with values of a fixed size. */
function isScalar(type: CelType): boolean {
  if (type.kind === "opaque" && type.name === "optional_type") return isScalar(parameterOf(type));
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind);
}
