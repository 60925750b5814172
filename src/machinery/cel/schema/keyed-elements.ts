import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { CelList } from "../value/cel-list.ts";
import { CelMap } from "../value/cel-map.ts";
import { type CelResult, type CelValue, typeOf } from "../value/cel-value.ts";
import { equals } from "../value/equality.ts";
import { goText } from "../value/go-text.ts";

/** The identity of an element of a keyed list: the values of its keys. */
export function elementKey(element: CelResult, keys: readonly string[]): string {
  const values = keys.map((key) => {
    const value = element instanceof CelMap ? element.find(key) : undefined;
    if (value === undefined || value instanceof CelFault) return null;
    return `${typeOf(value).name} ${goText(value)}`;
  });
  return JSON.stringify(values);
}

/**
 * Whether two lists have equal elements for each key, in any order.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/common/valuesunstructured.go.
 */
export function equalByKey(
  list: CelList,
  other: CelValue,
  keyOf: (element: CelResult) => string,
): boolean | CelFault {
  if (!(other instanceof CelList)) return noSuchOverload;
  if (list.length !== other.length) return false;
  const byKey = new Map(Array.from(list, (element) => [keyOf(element), element]));
  const seen = new Set<string>();
  for (const theirs of other) {
    const key = keyOf(theirs);
    const mine = byKey.get(key);
    if (mine === undefined) return false;
    if (mine instanceof CelFault) return mine;
    const equal = theirs instanceof CelFault ? false : equals(mine, theirs);
    if (equal !== true) return equal;
    seen.add(key);
  }
  return seen.size === byKey.size;
}

/**
 * The elements of one list, replaced by those of another with the same keys; then the other
 * elements of the second list.
 */
export function mergeByKey(
  list: CelList,
  other: CelList,
  keys: readonly string[],
): readonly CelResult[] {
  const elements = [...list];
  const positions = new Map(elements.map((element, i) => [elementKey(element, keys), i]));
  for (const element of other) {
    const position = positions.get(elementKey(element, keys));
    if (position === undefined) elements.push(element);
    else elements[position] = element;
  }
  return elements;
}
