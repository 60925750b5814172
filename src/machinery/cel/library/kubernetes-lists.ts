import type { Library } from "../environment.ts";
import { type FunctionDecl, member, type Overload } from "../model/declaration.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  stringType,
  timestampType,
  typeParam,
  uintType,
} from "../type/cel-type.ts";
import { add } from "../value/arithmetic.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { CelList } from "../value/cel-list.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { Duration } from "../value/duration.ts";
import { equals } from "../value/equality.ts";
import { compare, isOrdered } from "../value/ordering.ts";
import { Uint } from "../value/uint.ts";
import { includesCosts, searchCosts } from "./costs/text-costs.ts";

const a = typeParam("A");

type Named = readonly [name: string, type: CelType];

const summable: readonly (readonly [...Named, zero: CelValue])[] = [
  ["int", intType, 0n],
  ["uint", uintType, new Uint(0n)],
  ["double", doubleType, 0],
  ["duration", durationType, new Duration(0n)],
];

const comparable: readonly Named[] = [
  ["int", intType],
  ["uint", uintType],
  ["double", doubleType],
  ["bool", boolType],
  ["duration", durationType],
  ["timestamp", timestampType],
  ["string", stringType],
  ["bytes", bytesType],
];

/**
 * Kubernetes' own functions on lists.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/library/lists.go.
 */
export const kubernetesLists: Library = {
  functions: [
    search(
      "isSorted",
      comparable.map(([name, type]) =>
        member(`list_${name}_is_sorted_bool`, [listOf(type)], boolType, isSorted),
      ),
    ),
    search(
      "sum",
      summable.map(([name, type, zero]) =>
        member(`list_${name}_sum_${name}`, [listOf(type)], type, (list) => sum(list, zero)),
      ),
    ),
    search("max", extremes("max", -1)),
    search("min", extremes("min", 1)),
    search("indexOf", [
      member("list_a_index_of_int", [listOf(a), a], intType, (list, item) =>
        position(list, item, "first"),
      ),
    ]),
    search("lastIndexOf", [
      member("list_a_last_index_of_int", [listOf(a), a], intType, (list, item) =>
        position(list, item, "last"),
      ),
    ]),
  ],
};

/** list.includes(item), which also treats a single value as a list of one item; new in 1.37. */
export const kubernetesIncludes: Library = {
  functions: [
    {
      name: "includes",
      overloads: [member("list_includes_dyn_dyn", [dynType, dynType], boolType, includes)],
      ...includesCosts,
    },
  ],
};

function search(name: string, overloads: readonly Overload[]): FunctionDecl {
  return { name, overloads, ...searchCosts };
}

function extremes(name: "max" | "min", worse: 1 | -1): Overload[] {
  return comparable.map(([typeName, type]) =>
    member(`list_${typeName}_${name}_${typeName}`, [listOf(type)], type, (list) =>
      extreme(name, worse, list),
    ),
  );
}

function isSorted(list?: CelValue): CelResult {
  if (!(list instanceof CelList)) return noSuchOverload;
  let previous: CelValue | undefined;
  for (const element of list) {
    if (element instanceof CelFault) return element;
    if (!isOrdered(element)) return noSuchOverload;
    if (previous !== undefined) {
      const order = compare(previous, element);
      if (typeof order === "number" && order > 0) return false;
    }
    previous = element;
  }
  return true;
}

function sum(list: CelValue | undefined, zero: CelValue): CelResult {
  if (!(list instanceof CelList)) return noSuchOverload;
  let total = zero;
  for (const element of list) {
    if (element instanceof CelFault) return element;
    const next = add(total, element);
    if (next instanceof CelFault) return next;
    total = next;
  }
  return total;
}

function extreme(name: string, worse: number, list?: CelValue): CelResult {
  if (!(list instanceof CelList)) return noSuchOverload;
  let best: CelValue | undefined;
  for (const element of list) {
    if (element instanceof CelFault) return element;
    if (!isOrdered(element)) return noSuchOverload;
    if (best === undefined) {
      best = element;
      continue;
    }
    const order = compare(best, element);
    if (typeof order === "number" && Math.sign(order) === worse) best = element;
  }
  return best ?? new CelFault(`${name} called on empty list`);
}

function position(
  list: CelValue | undefined,
  item: CelValue | undefined,
  which: "first" | "last",
): CelResult {
  if (!(list instanceof CelList) || item === undefined) return noSuchOverload;
  let index = -1n;
  let last = -1n;
  for (const element of list) {
    index++;
    if (element instanceof CelFault || equals(element, item) !== true) continue;
    if (which === "first") return index;
    last = index;
  }
  return last;
}

function includes(target?: CelValue, item?: CelValue): CelResult {
  if (target === undefined || item === undefined) return noSuchOverload;
  if (!(target instanceof CelList)) return equals(target, item) === true;
  for (const element of target) {
    if (!(element instanceof CelFault) && equals(element, item) === true) return true;
  }
  return false;
}
