import { lazyModule } from "#/std/base/lazily.ts";
import type { Declarations } from "./check/scope.ts";
import type { Validator } from "./check/validator.ts";
import { type FunctionDecl, mergeFunctions } from "./model/declaration.ts";
import { combineProviders, type TypeProvider } from "./model/type-provider.ts";
import type { Program } from "./program.ts";
import { type Macro, macroKey } from "./syntax/macro.ts";
import { type CelType, typeOfType } from "./type/cel-type.ts";

/** An invalid expression. The message is shown to its author. */
export class CompileError extends Error {
  override readonly name = "CompileError";
}

/** A group of functions, macros and types. */
export interface Library {
  readonly functions?: readonly FunctionDecl[];
  readonly macros?: readonly Macro[];
  /** Types that have a name in expressions. */
  readonly types?: readonly CelType[];
  readonly validators?: readonly Validator[];
}

/** Additions to an environment. */
interface Extension {
  readonly libraries?: readonly Library[];
  readonly variables?: Readonly<Record<string, CelType>>;
  readonly provider?: TypeProvider;
}

/** Loaded lazily: only processes that compile expressions need the compiler. */
const compiler = lazyModule<typeof import("./compile-expression.ts")>(
  "./compile-expression.ts",
  import.meta.url,
);

const noTypes: TypeProvider = { findType: () => undefined, findField: () => undefined };

/**
 * The declarations that expressions may use. Immutable; an extension shares the unchanged parts.
 */
export class Environment implements Declarations {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, FunctionDecl>;
  readonly provider: TypeProvider;
  readonly #macros: ReadonlyMap<string, Macro>;
  readonly #types: ReadonlyMap<string, CelType>;
  readonly #validators: readonly Validator[];

  constructor(base?: Environment, { libraries = [], variables, provider }: Extension = {}) {
    this.variables = new Map([...(base?.variables ?? []), ...Object.entries(variables ?? {})]);
    this.functions = withFunctions(base?.functions ?? new Map(), libraries);
    this.#macros = withMacros(base ? base.#macros : new Map(), libraries);
    this.#types = withTypes(base ? base.#types : new Map(), libraries);
    const added = libraries.flatMap(({ validators = [] }) => validators);
    this.#validators = [...(base ? base.#validators : []), ...added];
    const inherited = base?.provider ?? noTypes;
    this.provider = provider === undefined ? inherited : combineProviders([provider, inherited]);
  }

  extend(extension: Extension): Environment {
    return new Environment(this, extension);
  }

  findType(name: string): { value: CelType; type: CelType } | undefined {
    const value = this.#types.get(name) ?? this.provider.findType(name);
    return value && { value, type: typeOfType(value) };
  }

  /**
   * Parses, checks and compiles an expression. Throws CompileError, or PlanError for constant parts
   * without a value.
   */
  compile(expression: string): Program {
    return compiler().compileExpression(expression, this, this.#macros, this.#validators);
  }
}

function withFunctions(
  base: ReadonlyMap<string, FunctionDecl>,
  libraries: readonly Library[],
): ReadonlyMap<string, FunctionDecl> {
  const added = libraries.flatMap(({ functions = [] }) => functions);
  if (added.length === 0) return base;
  const functions = new Map(base);
  for (const decl of added) {
    const known = functions.get(decl.name);
    functions.set(decl.name, known === undefined ? decl : mergeFunctions(known, decl));
  }
  return functions;
}

function withMacros(
  base: ReadonlyMap<string, Macro>,
  libraries: readonly Library[],
): ReadonlyMap<string, Macro> {
  const added = libraries.flatMap(({ macros = [] }) => macros);
  const entries = added.map((macro) => {
    return [macroKey(macro.name, macro.argCount, macro.receiver), macro] as const;
  });
  return added.length === 0 ? base : new Map([...base, ...entries]);
}

function withTypes(
  base: ReadonlyMap<string, CelType>,
  libraries: readonly Library[],
): ReadonlyMap<string, CelType> {
  const added = libraries.flatMap(({ types = [] }) => types);
  if (added.length === 0) return base;
  return new Map([...base, ...added.map((type) => [type.name, type] as const)]);
}
