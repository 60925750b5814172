import type { CelType } from "../type/cel-type.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";

/** Types with fields that expressions may name. */
export interface TypeProvider {
  /** The type of a name; undefined if there is none. */
  findType(name: string): CelType | undefined;
  /** The type of a field of a type that findType returns. */
  findField(typeName: string, field: string): CelType | undefined;
  /** The value of Type{field: value}. Undefined for types without a constructor. */
  construct?(typeName: string, fields: ReadonlyMap<string, CelValue>): CelResult | undefined;
}

/** Combines providers; the first that has a type is used for it. */
export function combineProviders(providers: readonly TypeProvider[]): TypeProvider {
  const owner = (name: string) => providers.find((provider) => provider.findType(name));
  return {
    findType: (name) => owner(name)?.findType(name),
    findField: (name, field) => owner(name)?.findField(name, field),
    construct: (name, fields) => owner(name)?.construct?.(name, fields),
  };
}
