import { walk } from "../../check/walk.ts";
import type { Checked, CheckedCall } from "../../model/checked.ts";
import type { Issues } from "../../syntax/issues.ts";
import { type Clause, ClauseError, clauseProblem, parseClauses } from "./format-clause.ts";

/** Finds format strings that do not match their arguments, if both are literals. */
export function validateFormatCalls(root: Checked, issues: Issues): void {
  walk(root, (expr) => {
    if (expr.kind === "call" && expr.decl.name === "format") validateCall(expr, issues);
  });
}

function validateCall(call: CheckedCall, issues: Issues): void {
  const { target, args } = call;
  const [list] = args;
  if (target?.kind !== "constant" || typeof target.value !== "string" || list?.kind !== "list")
    return;
  const elements = list.elements.map(({ value }) => value);
  try {
    const clauses = parseClauses(target.value, elements.length);
    let count = 0;
    for (const clause of clauses) {
      if (typeof clause === "string") continue;
      count++;
      const problem = findProblem(clause, elements[clause.index]);
      if (problem === undefined) continue;
      issues.report(problem.offset, `error during formatting: ${problem.message}`);
      return;
    }
    if (elements.length > count) {
      const counts = `(expected ${count}, got ${elements.length})`;
      issues.report(call.offset, `too many arguments supplied to string.format ${counts}`);
    }
  } catch (error) {
    if (!(error instanceof ClauseError)) throw error;
    issues.report(call.offset, error.message);
  }
}

interface Problem {
  readonly offset: number;
  readonly message: string;
}

/** The error if a placeholder cannot print an argument, or a part of it. */
function findProblem({ verb }: Clause, arg: Checked | undefined): Problem | undefined {
  if (arg === undefined) return undefined;
  const message = clauseProblem(verb, arg.type);
  if (message !== undefined) return { offset: arg.offset, message };
  if (verb !== "s") return undefined;
  for (const part of literalParts(arg)) {
    const problem = findProblem({ verb, precision: undefined, index: 0 }, part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function literalParts(expr: Checked): readonly Checked[] {
  if (expr.kind === "list") return expr.elements.map(({ value }) => value);
  return expr.kind === "map" ? expr.entries.flatMap(({ key, value }) => [key, value]) : [];
}
