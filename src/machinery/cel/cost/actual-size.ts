import { costs } from "../model/call-cost.ts";
import { CelList } from "../value/cel-list.ts";
import { CelMap } from "../value/cel-map.ts";
import { CelObject } from "../value/cel-object.ts";
import type { CelResult } from "../value/cel-value.ts";
import { Optional } from "../value/optional.ts";
import { codePointCount } from "../value/text.ts";

/**
 * The size of a value for costs: code points, bytes, elements or entries; 1 for all other types.
 */
export function actualSize(value: CelResult | undefined): number {
  if (typeof value === "string") return codePointCount(value);
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof CelList || value instanceof Uint8Array) return value.length;
  if (value instanceof CelMap || value instanceof CelObject) return value.size;
  return 1;
}

/** The size of a value, or of the content of an optional. */
export function innerSize(value: CelResult | undefined): number {
  if (value instanceof Optional && value.value !== undefined) return innerSize(value.value);
  return actualSize(value);
}

/** The cost of reading `size` characters `times` times. */
export const textCost = (size: number, times = 1): number =>
  Math.ceil(size * times * costs.perCharacter);

/** The cost of matching a text of a size against a pattern of a size. */
export const patternCost = (textSize: number, patternSize: number): number =>
  textCost(1 + textSize) * Math.ceil(patternSize * costs.perPatternCharacter);

/**
 * The cost of visiting all parts of a value.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/library/cost.go.
 */
export function traversalCost(value: CelResult | undefined): number {
  if (typeof value === "string") return Math.trunc(Buffer.byteLength(value) * costs.perCharacter);
  if (value instanceof Uint8Array) return Math.trunc(value.length * costs.perCharacter);
  if (value instanceof CelList) {
    let cost = 0;
    for (const element of value) cost += traversalCost(element);
    return cost;
  }
  if (!(value instanceof CelMap)) return 1;
  let cost = 0;
  for (const [key, element] of value.entries()) cost += traversalCost(key) + traversalCost(element);
  return cost;
}
