import type { ParamKind, Variable } from "#/api/admissionregistration/v1.ts";
import { PolicyCompiler } from "#/machinery/cel/admission/policy-compiler.ts";
import type { CelType } from "#/machinery/cel/type/cel-type.ts";
import { type FieldError, internalError, invalid } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import type { Steps } from "#/std/base/steps.ts";

/** New expressions must compile in the previous release too, so that a rollback does not break them. */
const compatibility = 36;

interface ExpressionOptions {
  readonly paramKind?: ParamKind | undefined;
  /** Absent where expressions can have no variables. */
  readonly variables?: readonly Variable[];
  readonly patches?: boolean;
}

/** A compiler with some of the variables. */
interface Compiling {
  readonly compiler: PolicyCompiler;
  /** Number of variables that it knows. */
  known: number;
}

/** Options of the check of one expression. */
interface Checked {
  readonly path: FieldPath;
  readonly types: readonly CelType[];
  /** The old object has this expression, so it may use everything that this server supports. */
  readonly isOld?: boolean;
  readonly authorizer?: boolean;
  /** Number of variables that it may use; default all. */
  readonly variables?: number;
}

/** Checks the expressions of one policy; compilers are made when they are first used. */
export class PolicyExpressions {
  readonly #options: ExpressionOptions;
  readonly #compilers = new Map<string, Compiling>();

  constructor(options: ExpressionOptions) {
    this.#options = options;
  }

  /**
   * Validation errors of one expression. Those that may use fewer variables are checked before those that may use more.
   */
  *check(
    expression: string,
    { path, types, isOld = false, authorizer = true, variables }: Checked,
  ): Steps<FieldError[]> {
    const compiling = this.#compiling(isOld, authorizer);
    const all = this.#options.variables ?? [];
    const wanted = variables ?? all.length;
    for (; compiling.known < wanted; compiling.known++) {
      const variable = all[compiling.known];
      if (!variable?.expression) continue;
      compiling.compiler.addVariable(variable.name, variable.expression);
      yield;
    }
    const compiled = compiling.compiler.compile(expression, types);
    yield;
    return expressionErrors(expression, compiled.error, path);
  }

  #compiling(isOld: boolean, authorizer: boolean): Compiling {
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
    const compiling = { compiler, known: 0 };
    this.#compilers.set(key, compiling);
    return compiling;
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
