import type { ParamKind, Variable } from "#/api/admissionregistration/v1.ts";
import { PolicyCompiler } from "#/machinery/cel/admission/policy-compiler.ts";
import type { CelType } from "#/machinery/cel/type/cel-type.ts";
import { type FieldError, internalError, invalid } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";

/** New expressions must be understood by the release before, lest a rollback meet them. */
const compatibility = 36;

interface ExpressionOptions {
  readonly paramKind?: ParamKind | undefined;
  /** Absent where expressions can have no variables. */
  readonly variables?: readonly Variable[];
  readonly patches?: boolean;
}

/** How one expression is to be checked. */
interface Checked {
  readonly path: FieldPath;
  readonly types: readonly CelType[];
  /** It was there before the update, so that it may use all that the server understands. */
  readonly isOld?: boolean;
  readonly authorizer?: boolean;
}

/** Checks the expressions of one policy; a compiler is made only for what is used. */
export class PolicyExpressions {
  readonly #options: ExpressionOptions;
  readonly #compilers = new Map<string, PolicyCompiler>();

  constructor(options: ExpressionOptions) {
    this.#options = options;
  }

  /** What is wrong with an expression. */
  check(
    expression: string,
    { path, types, isOld = false, authorizer = true }: Checked,
  ): FieldError[] {
    const compiled = this.#compiler(isOld, authorizer).compile(expression, types);
    return expressionErrors(expression, compiled.error, path);
  }

  #compiler(isOld: boolean, authorizer: boolean): PolicyCompiler {
    const key = `${isOld} ${authorizer}`;
    const known = this.#compilers.get(key);
    if (known) return known;
    const { paramKind, variables, patches = false } = this.#options;
    const compiler = new PolicyCompiler({
      params: paramKind !== undefined,
      authorizer,
      patches,
      variables: variables !== undefined,
      ...(isOld ? {} : { compatibility }),
    });
    for (const { name, expression } of variables ?? []) {
      if (expression) compiler.addVariable(name, expression);
    }
    this.#compilers.set(key, compiler);
    return compiler;
  }
}

/** A compiler's complaint as an error of the field. */
function expressionErrors(
  expression: string,
  error: string | undefined,
  path: FieldPath,
): FieldError[] {
  if (error === undefined) return [];
  return error.startsWith("program instantiation failed")
    ? [internalError(path, new Error(error))]
    : [invalid(path, expression, error)];
}
