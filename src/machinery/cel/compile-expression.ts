import { check } from "./check/checker.ts";
import type { Validator } from "./check/validator.ts";
import { CompileError, type Environment } from "./environment.ts";
import { Program } from "./program.ts";
import { Issues } from "./syntax/issues.ts";
import type { Macro } from "./syntax/macro.ts";
import { parse } from "./syntax/parser.ts";
import { Source } from "./syntax/source.ts";

/** Parses, checks and plans an expression, for Environment.compile(). */
export function compileExpression(
  expression: string,
  environment: Environment,
  macros: ReadonlyMap<string, Macro>,
  validators: readonly Validator[],
): Program {
  const source = new Source(expression);
  const issues = new Issues(source);
  const parsed = parse(source, macros, issues);
  failOnIssues(issues);
  const checked = check(parsed, environment, issues);
  failOnIssues(issues);
  for (const validate of validators) validate(checked, issues);
  failOnIssues(issues);
  return new Program(checked, environment.provider);
}

function failOnIssues(issues: Issues): void {
  if (!issues.isEmpty) throw new CompileError(issues.toString());
}
