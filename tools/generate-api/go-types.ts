/** A Go type as written in a declaration; names are resolved to the package they come from ("" for built-in types). */
export type GoExpression =
  | { readonly kind: "name"; readonly package: string; readonly name: string }
  | { readonly kind: "pointer"; readonly to: GoExpression }
  | { readonly kind: "list"; readonly items: GoExpression }
  | { readonly kind: "map"; readonly values: GoExpression }
  | { readonly kind: "other" };

/** A field of a Go struct; an embedded one has the name of its type. */
export interface GoField {
  readonly name: string;
  readonly embedded: boolean;
  readonly type: GoExpression;
  readonly tags: ReadonlyMap<string, string>;
  readonly markers: GoMarkers;
}

/** The `+name=value` lines of a comment; a name may occur several times. */
export type GoMarkers = ReadonlyMap<string, readonly string[]>;

/** A declaration `type Name …`. An alias (`type Name = …`) is another name for the same type. */
export type GoType = { readonly name: string; readonly markers: GoMarkers } & (
  | { readonly kind: "struct"; readonly fields: readonly GoField[] }
  | { readonly kind: "defined"; readonly underlying: GoExpression }
  | { readonly kind: "alias"; readonly target: GoExpression }
);

/** A constant of a named string type: its value, or another constant that it equals. */
export interface GoConstant {
  readonly name: string;
  readonly type: GoExpression;
  readonly value: string | GoExpression;
}

/** What one Go source file declares, so far as types go. */
export interface GoFile {
  readonly types: readonly GoType[];
  readonly constants: readonly GoConstant[];
}
