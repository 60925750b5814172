import type { Expr } from "./expr.ts";

/**
 * A chain of equal logical operators as a balanced tree, which limits the depth of long chains.
 * `offsets` are those of the operators between the terms.
 *
 * Upstream: vendor/github.com/google/cel-go/parser/helper.go.
 */
export function balance(name: string, terms: readonly Expr[], offsets: readonly number[]): Expr {
  return tree(0, offsets.length - 1);

  function tree(low: number, high: number): Expr {
    const middle = Math.floor((low + high + 1) / 2);
    const left = middle === low ? term(middle) : tree(low, middle - 1);
    const right = middle === high ? term(middle + 1) : tree(middle + 1, high);
    return { kind: "call", offset: offsets[middle] ?? 0, name, args: [left, right] };
  }

  function term(index: number): Expr {
    const found = terms[index];
    if (found === undefined) throw new RangeError(`no term ${index}`);
    return found;
  }
}
