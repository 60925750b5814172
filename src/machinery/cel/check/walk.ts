import { type Checked, children } from "../model/checked.ts";

/** Visits an expression and all of its nodes, with their enclosing calls. */
export function walk(
  expr: Checked,
  visit: (expr: Checked, ancestors: readonly Checked[]) => void,
): void {
  const ancestors: Checked[] = [];
  step(expr);

  function step(current: Checked): void {
    visit(current, ancestors);
    ancestors.push(current);
    for (const child of children(current)) step(child);
    ancestors.pop();
  }
}
