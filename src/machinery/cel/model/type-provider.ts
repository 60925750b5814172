import type { CelType } from "../type/cel-type.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";

/** Types with fields that expressions may name, and what is known of their fields. */
export interface TypeProvider {
  /** The type of a name, if there is one. */
  findType(name: string): CelType | undefined;
  /** The type of a field of a type that findType knows. */
  findField(typeName: string, field: string): CelType | undefined;
  /** The value of Type{field: value}. Types that cannot be written so have no constructor. */
  construct?(typeName: string, fields: ReadonlyMap<string, CelValue>): CelResult | undefined;
}

/** Several providers as one; the first that knows a type is asked about it. */
export function combineProviders(providers: readonly TypeProvider[]): TypeProvider {
  const owner = (name: string) => providers.find((provider) => provider.findType(name));
  return {
    findType: (name) => owner(name)?.findType(name),
    findField: (name, field) => owner(name)?.findField(name, field),
    construct: (name, fields) => owner(name)?.construct?.(name, fields),
  };
}
