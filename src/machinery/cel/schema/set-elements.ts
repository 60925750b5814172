import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { CelList } from "../value/cel-list.ts";
import { CelMap } from "../value/cel-map.ts";
import { type CelResult, type CelValue, typeOf } from "../value/cel-value.ts";
import { goText } from "../value/go-text.ts";

const notScalar = new CelFault("listSet operations are only supported on lists of scalar values");

/** The identity of an element of a set. */
function setKey(element: CelResult): string | CelFault {
  if (element instanceof CelList || element instanceof CelMap) return notScalar;
  if (element instanceof CelFault) return `error ${element.message}`;
  return `${typeOf(element).name} ${goText(element)}`;
}

/** The keys of all elements, or a fault if one has none. */
function setKeys(list: CelList): Set<string> | CelFault {
  const keys = new Set<string>();
  for (const element of list) {
    const key = setKey(element);
    if (key instanceof CelFault) return key;
    keys.add(key);
  }
  return keys;
}

/**
 * Whether two lists have the same elements, in any order.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/common/valuesunstructured.go.
 */
export function equalAsSets(list: CelList, other: CelValue): boolean | CelFault {
  if (!(other instanceof CelList)) return noSuchOverload;
  if (list.length !== other.length) return false;
  const mine = setKeys(list);
  if (mine instanceof CelFault) return mine;
  const theirs = setKeys(other);
  if (theirs instanceof CelFault) return theirs;
  return mine.size === theirs.size && mine.isSubsetOf(theirs);
}

/** The elements of one list, then the elements of another that are not in the first. */
export function unionOf(list: CelList, other: CelList): CelResult[] | CelFault {
  const keys = setKeys(list);
  if (keys instanceof CelFault) return keys;
  const elements = [...list];
  for (const element of other) {
    const key = setKey(element);
    if (key instanceof CelFault) return key;
    if (keys.has(key)) continue;
    keys.add(key);
    elements.push(element);
  }
  return elements;
}
