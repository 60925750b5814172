/** A number literal of a template: Go gives it a type of its own, which comparisons and messages depend on. */
export class TypedNumber extends Number {
  readonly goType: "int" | "float64" | "int32";

  constructor(value: number, goType: TypedNumber["goType"]) {
    super(value);
    this.goType = goType;
  }
}

/** The plain number. */
export function plain(value: unknown): unknown {
  return value instanceof TypedNumber ? value.valueOf() : value;
}
