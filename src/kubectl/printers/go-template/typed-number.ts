/** A number that a template has written itself: Go gives it a type of its own, which comparisons and messages mind. */
export class TypedNumber extends Number {
  readonly goType: "int" | "float64" | "int32";

  constructor(value: number, goType: TypedNumber["goType"]) {
    super(value);
    this.goType = goType;
  }
}

/** A number as such. */
export function plain(value: unknown): unknown {
  return value instanceof TypedNumber ? value.valueOf() : value;
}
