import { actualSize } from "../cost/actual-size.ts";
import type { Library } from "../environment.ts";
import type { EstimatedCall } from "../model/call-cost.ts";
import { type FunctionDecl, overload } from "../model/declaration.ts";
import { addRanges, exactly, multiplyRanges, scaleRange } from "../model/range.ts";
import { boolType, listOf, typeParam } from "../type/cel-type.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { CelList } from "../value/cel-list.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";

const list = listOf(typeParam("T"));

/**
 * Set functions on lists.
 *
 * Upstream: vendor/github.com/google/cel-go/ext/sets.go.
 */
export const sets: Library = {
  functions: [
    setFunction("contains", 1, contains),
    setFunction("equivalent", 2, (a, b) =>
      contains(a, b) === true ? contains(b, a) : contains(a, b),
    ),
    setFunction("intersects", 1, intersects),
  ],
};

function setFunction(
  name: string,
  factor: number,
  compute: (a: CelList, b: CelList) => CelResult,
): FunctionDecl {
  const call = (a?: CelValue, b?: CelValue): CelResult => {
    return a instanceof CelList && b instanceof CelList ? compute(a, b) : noSuchOverload;
  };
  const signature = overload(`list_sets_${name}_list`, [list, list], boolType, call);
  return {
    name: `sets.${name}`,
    heavy: true,
    overloads: [
      {
        ...signature,
        cost: ([a, b]) => 1 + actualSize(a) * actualSize(b) * factor,
        estimate: ({ args: [a, b], sizeOf }: EstimatedCall) => {
          if (a === undefined || b === undefined) return undefined;
          const product = multiplyRanges(sizeOf(a), sizeOf(b));
          return { cost: addRanges(scaleRange(product, factor), exactly(1)) };
        },
      },
    ],
  };
}

function contains(set: CelList, subset: CelList): CelResult {
  for (const element of subset) {
    const found = element instanceof CelFault ? element : set.contains(element);
    if (found !== true) return found;
  }
  return true;
}

function intersects(a: CelList, b: CelList): CelResult {
  for (const element of a) {
    if (!(element instanceof CelFault) && b.contains(element) === true) return true;
  }
  return false;
}
