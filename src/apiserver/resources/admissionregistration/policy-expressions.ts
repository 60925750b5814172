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
}

/** Checks the expressions of one policy; compilers are made when they are first used. */
export class PolicyExpressions {
  readonly #options: ExpressionOptions;
  readonly #compilers = new Map<string, Compiling>();

  constructor(options: ExpressionOptions) {
    this.#options = options;
  }

  /** Validation errors of one expression, which may use all variables. */
  *check(
    expression: string,
    { path, types, isOld = false, authorizer = true }: Checked,
  ): Steps<FieldError[]> {
    const compiling = this.#compiling(isOld, authorizer);
    yield* this.#learn(compiling, this.#options.variables?.length ?? 0);
    const compiled = compiling.compiler.compile(expression, types);
    yield;
    return expressionErrors(expression, compiled.error, path);
  }

  /** Validation errors of a variable, which may use those before it. Invariant: they are checked in their order. */
  *checkVariable(
    index: number,
    { path, isOld = false }: Pick<Checked, "path" | "isOld">,
  ): Steps<FieldError[]> {
    const compiling = this.#compiling(isOld, true);
    yield* this.#learn(compiling, index);
    const { name = "", expression = "" } = this.#options.variables?.[index] ?? {};
    const compiled = compiling.compiler.addVariable(name, expression);
    compiling.known++;
    yield;
    return expressionErrors(expression, compiled.error, path);
  }

  /** Adds variables until a number of them is known. */
  *#learn(compiling: Compiling, count: number): Steps<void> {
    for (; compiling.known < count; compiling.known++) {
      const variable = this.#options.variables?.[compiling.known];
      if (!variable?.expression) continue;
      compiling.compiler.addVariable(variable.name, variable.expression);
      yield;
    }
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
