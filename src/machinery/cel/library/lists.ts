import type { Library } from "../environment.ts";
import { type FunctionDecl, member, overload } from "../model/declaration.ts";
import type { Expr } from "../syntax/expr.ts";
import { type Factory, MacroError } from "../syntax/macro.ts";
import { expandMap, required } from "../syntax/standard-macros.ts";
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
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { ArrayList, CelList } from "../value/cel-list.ts";
import { type CelResult, type CelValue, typeOf } from "../value/cel-value.ts";
import { Duration } from "../value/duration.ts";
import { equals } from "../value/equality.ts";
import { compare, isOrdered } from "../value/ordering.ts";
import { Timestamp } from "../value/timestamp.ts";
import {
  distinctCosts,
  flattenCosts,
  outputCosts,
  rangeCosts,
  sliceCosts,
  sortByCosts,
  sortCosts,
} from "./costs/list-costs.ts";

const list = listOf(typeParam("T"));

/** Limit of the lists of lists.range() (elements). */
const maxRange = 1_000_000n;

/** Types with sortable lists. */
const sortable: readonly CelType[] = [
  ...[intType, uintType, doubleType, boolType, durationType, timestampType, stringType, bytesType],
];

const functions: readonly FunctionDecl[] = [
  {
    name: "slice",
    overloads: [{ ...member("list_slice", [list, intType, intType], list, slice), ...sliceCosts }],
  },
  {
    name: "flatten",
    overloads: [
      {
        ...member("list_flatten", [listOf(list)], list, flatten),
        ...flattenCosts,
      },
      {
        ...member("list_flatten_int", [listOf(dynType), intType], listOf(dynType), flatten),
        ...flattenCosts,
      },
    ],
    unguarded: true,
  },
  {
    name: "sort",
    overloads: sortable.map((type) => ({
      ...member(`list_${type.name}_sort`, [listOf(type)], listOf(type)),
      ...sortCosts(type),
    })),
    singleton: sort,
  },
  {
    name: "@sortByAssociatedKeys",
    overloads: sortable.map((type) => ({
      ...member(`list_${type.name}_sortByAssociatedKeys`, [list, listOf(type)], list),
      ...sortByCosts(type),
    })),
    singleton: (value, keys) =>
      value instanceof CelList && keys instanceof CelList
        ? sortBy(value, keys)
        : new CelFault("no such overload: @sortByAssociatedKeys"),
  },
  {
    name: "lists.range",
    overloads: [{ ...overload("lists_range", [intType], listOf(intType), range), ...rangeCosts }],
  },
  {
    name: "reverse",
    overloads: [{ ...member("list_reverse", [list], list, reverse), ...outputCosts }],
  },
  {
    name: "distinct",
    overloads: [{ ...member("list_distinct", [list], list, distinct), ...distinctCosts }],
    heavy: true,
  },
];

/**
 * Functions on lists.
 *
 * Upstream: vendor/github.com/google/cel-go/ext/lists.go.
 */
export const lists: Library = {
  functions,
  macros: [{ name: "sortBy", argCount: 2, receiver: true, expand: expandSortBy }],
};

const sortByInput = "@__sortBy_input__";
const sortByTargets: ReadonlySet<Expr["kind"]> = new Set([
  "list",
  "select",
  "ident",
  "fold",
  "call",
]);

function expandSortBy(make: Factory, args: readonly Expr[], target?: Expr): Expr {
  const sorted = required(target);
  if (!sortByTargets.has(sorted.kind)) {
    const kinds = "a list, identifier, comprehension, call or select expression";
    throw new MacroError(sorted.offset, `sortBy can only be applied to ${kinds}`);
  }
  const keys = expandMap(make, args, make.ident(sortByInput));
  const call = make.memberCall("@sortByAssociatedKeys", make.ident(sortByInput), keys);
  return make.bind(sortByInput, sorted, call);
}

function slice(value?: CelValue, start?: CelValue, end?: CelValue): CelResult {
  if (!(value instanceof CelList) || typeof start !== "bigint" || typeof end !== "bigint") {
    return noSuchOverload;
  }
  const refuse = (why: string) => new CelFault(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0n || end < 0n) return refuse("negative indexes not supported");
  if (start > end) return refuse("start index must be less than or equal to end index");
  if (BigInt(value.length) < end) return refuse(`list is length ${value.length}`);
  return collect(value, Number(start), Number(end));
}

function collect(list: CelList, start: number, end: number): CelResult {
  const values: CelValue[] = [];
  for (let i = start; i < end; i++) {
    const element = list.at(i);
    if (element instanceof CelFault) return element;
    values.push(element);
  }
  return new ArrayList(values);
}

function flatten(value: CelValue = null, depth?: CelValue): CelResult {
  if (value instanceof CelList && depth === undefined) return flattenTo(value, 1n);
  if (value instanceof CelList && typeof depth === "bigint") return flattenTo(value, depth);
  const argument = depth === undefined ? "" : typeOf(depth);
  return new CelFault(`no such overload: ${typeOf(value)}.flatten(${argument})`);
}

function flattenTo(value: CelList, depth: bigint): CelResult {
  if (depth < 0n) return new CelFault("level must be non-negative");
  const values: CelValue[] = [];
  return flattenInto(values, value, depth) ?? new ArrayList(values);
}

function flattenInto(values: CelValue[], list: CelList, depth: bigint): CelFault | undefined {
  for (const element of list) {
    if (element instanceof CelFault) return element;
    if (element instanceof CelList && depth > 0n) {
      const fault = flattenInto(values, element, depth - 1n);
      if (fault !== undefined) return fault;
    } else {
      values.push(element);
    }
  }
  return undefined;
}

function sort(value: CelValue = null): CelResult {
  if (value instanceof CelList) return sortBy(value, value);
  const hasMethods =
    typeof value === "string" || value instanceof Timestamp || value instanceof Duration;
  return hasMethods ? noSuchOverload : new CelFault("no such overload: sort");
}

function sortBy(list: CelList, keys: CelList): CelResult {
  if (list.length !== keys.length) {
    const sizes = `${list.length} and ${keys.length} elements respectively`;
    const why = "expected a list of the same size as the associated keys list";
    return new CelFault(`@sortByAssociatedKeys() ${why}, but got ${sizes}`);
  }
  if (list.length === 0) return list;
  const decorated: { key: CelValue; index: number }[] = [];
  for (const key of keys) {
    if (key instanceof CelFault) return key;
    decorated.push({ key, index: decorated.length });
  }
  const [first] = decorated;
  if (first === undefined || !isOrdered(first.key))
    return new CelFault("list elements must be comparable");
  if (decorated.some(({ key }) => typeOf(key) !== typeOf(first.key))) {
    return new CelFault("list elements must have the same type");
  }
  decorated.sort((a, b) => {
    const order = compare(a.key, b.key);
    return typeof order === "number" ? order : 0;
  });
  const values = decorated.map(({ index }) => list.at(index));
  const fault = values.find((value) => value instanceof CelFault);
  return fault ?? new ArrayList(values as CelValue[]);
}

function range(size?: CelValue): CelResult {
  if (typeof size !== "bigint") return noSuchOverload;
  if (size < 0n) return new CelFault(`lists.range: size must be non-negative, got ${size}`);
  if (size > maxRange) {
    return new CelFault(`lists.range: size ${size} exceeds maximum allowed (${maxRange})`);
  }
  return new ArrayList(Array.from({ length: Number(size) }, (_, i) => BigInt(i)));
}

function reverse(value?: CelValue): CelResult {
  if (!(value instanceof CelList)) return noSuchOverload;
  const values = Array.from(value).reverse();
  const fault = values.find((element) => element instanceof CelFault);
  return fault ?? new ArrayList(values as CelValue[]);
}

function distinct(value?: CelValue): CelResult {
  if (!(value instanceof CelList)) return noSuchOverload;
  const values: CelValue[] = [];
  for (const element of value) {
    if (element instanceof CelFault) return element;
    if (!values.some((known) => equals(element, known) === true)) values.push(element);
  }
  return new ArrayList(values);
}
