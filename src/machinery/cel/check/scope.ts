import type { FunctionDecl } from "../model/declaration.ts";
import type { TypeProvider } from "../model/type-provider.ts";
import type { Expr } from "../syntax/expr.ts";
import type { CelType } from "../type/cel-type.ts";

/** The declarations that an expression may refer to. */
export interface Declarations {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, FunctionDecl>;
  readonly provider: TypeProvider;
  /** A type by name: as a value, and the type of that value. */
  findType(name: string): { readonly value: CelType; readonly type: CelType } | undefined;
}

/** The variables of the enclosing comprehensions. */
export class Scope {
  readonly #parent: Scope | undefined;
  readonly #name: string;
  readonly #type: CelType | undefined;

  constructor(parent?: Scope, name = "", type?: CelType) {
    this.#parent = parent;
    this.#name = name;
    this.#type = type;
  }

  /** This scope with one more variable, which hides others of the same name. */
  with(name: string, type: CelType): Scope {
    return new Scope(this, name, type);
  }

  /** The type of a variable; a name with a leading dot is never a local one. */
  find(name: string): CelType | undefined {
    if (this.#type === undefined) return undefined;
    return this.#name === name ? this.#type : this.#parent?.find(name);
  }
}

/** The parts of a name with dots; undefined if the expression is something else. */
export function qualifiedName(expr: Expr): string[] | undefined {
  if (expr.kind === "ident") return [expr.name];
  if (expr.kind !== "select" || expr.testOnly) return undefined;
  const prefix = qualifiedName(expr.operand);
  prefix?.push(expr.field);
  return prefix;
}
