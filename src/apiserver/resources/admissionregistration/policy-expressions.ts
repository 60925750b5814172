import type { ParamKind, Variable } from "#/api/admissionregistration/v1.ts";
import { PolicyCompiler } from "#/machinery/cel/admission/policy-compiler.ts";
import type { CelType } from "#/machinery/cel/type/cel-type.ts";
import { type FieldError, internalError, invalid } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";

/** New expressions must compile in the previous release too, so that a rollback does not break them. */
const compatibility = 36;

interface ExpressionOptions {
  readonly paramKind?: ParamKind | undefined;
  /** Absent where expressions can have no variables. */
  readonly variables?: readonly Variable[];
  readonly patches?: boolean;
}

/** Options of the check of one expression. */
interface Checked {
  readonly path: FieldPath;
  readonly types: readonly CelType[];
  /** The old object has this expression, so it may use everything that this server supports. */
  readonly isOld?: boolean;
  readonly authorizer?: boolean;
}

/** Checks the expressions of one policy; compilers are made when they are first used. */
export class PolicyExpressions {
  readonly #options: ExpressionOptions;
  readonly #compilers = new Map<string, PolicyCompiler>();

  constructor(options: ExpressionOptions) {
    this.#options = options;
  }

  /** Validation errors of one expression. */
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

/** Converts a compiler error to an error of the field. */
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
