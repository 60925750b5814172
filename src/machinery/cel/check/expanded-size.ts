import type { Expr } from "../syntax/expr.ts";

/**
 * The number of nodes in an expression. A node that a macro repeats counts each time, but is
 * visited once.
 */
export function expandedSize(expr: Expr, known: Map<Expr, number> = new Map()): number {
  const found = known.get(expr);
  if (found !== undefined) return found;
  let size = 1;
  for (const part of partsOf(expr)) size += expandedSize(part, known);
  known.set(expr, size);
  return size;
}

function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.elements.map(({ value }) => value);
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "fold":
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}
