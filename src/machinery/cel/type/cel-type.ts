/** The kind of a type. */
type TypeKind =
  | "dyn"
  | "any"
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "opaque"
  | "string"
  | "struct"
  | "timestamp"
  | "type"
  | "param"
  | "uint";

/** Limit of the types in one type (count); only nested types that double at each level reach it. */
const maxTypeWeight = 2_000;

/** A type contains too many others. */
export class TypeTooLarge extends Error {
  override readonly name = "TypeTooLarge";
}

/**
 * A type of the language, for checking and, with its parameters erased, at run time.
 *
 * Upstream: vendor/github.com/google/cel-go/common/types/types.go.
 */
export class CelType {
  readonly kind: TypeKind;
  /** The name at run time, without parameters. */
  readonly name: string;
  readonly parameters: readonly CelType[];
  /** Whether it contains no type variables. */
  readonly isConcrete: boolean;
  /** Number of types in it, including itself. */
  readonly #weight: number;

  /** Throws TypeTooLarge. */
  constructor(kind: TypeKind, name: string, parameters: readonly CelType[] = []) {
    this.kind = kind;
    this.name = name;
    this.parameters = parameters;
    this.isConcrete = kind !== "param" && parameters.every((parameter) => parameter.isConcrete);
    this.#weight = parameters.reduce((sum, parameter) => sum + parameter.#weight, 1);
    if (this.#weight > maxTypeWeight) throw new TypeTooLarge();
  }

  get isDynamic(): boolean {
    return this.kind === "dyn" || this.kind === "any";
  }

  /** The same type, with the same parameters. */
  equals(other: CelType): boolean {
    if (this === other) return true;
    return (
      this.kind === other.kind && this.name === other.name && this.#sameParameters(other, "equals")
    );
  }

  /** The same type, apart from the names of its type variables. */
  isEquivalentTo(other: CelType): boolean {
    if (this === other) return true;
    if (this.kind !== other.kind || (this.kind !== "param" && this.name !== other.name))
      return false;
    return this.#sameParameters(other, "isEquivalentTo");
  }

  /** Whether a value of another type is assignable to this type. */
  isAssignableFrom(other: CelType): boolean {
    if (this === other || this.isDynamic || this.kind === "param") return true;
    if (this.kind !== other.kind || this.name !== other.name) return false;
    return this.#sameParameters(other, "isAssignableFrom");
  }

  #sameParameters(other: CelType, same: "equals" | "isEquivalentTo" | "isAssignableFrom"): boolean {
    if (this.parameters.length !== other.parameters.length) return false;
    return this.parameters.every((parameter, i) => {
      const theirs = other.parameters[i];
      return theirs !== undefined && parameter[same](theirs);
    });
  }

  /** As in the messages of policies: google.protobuf.Timestamp, map(string, dyn). */
  toString(): string {
    if (this.kind === "param") return `<${this.name}>`;
    return withParameters(this, (parameter) => parameter.toString());
  }
}

/** As in the messages of the type checker: timestamp, map(string, dyn). */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case "any":
    case "duration":
    case "timestamp":
    case "null":
      return type.kind;
    case "error":
      return "!error!";
    case "param":
      return type.name;
    default:
      return withParameters(type, formatType);
  }
}

function withParameters(type: CelType, format: (parameter: CelType) => string): string {
  if (type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map(format).join(", ")})`;
}

export const dynType: CelType = new CelType("dyn", "dyn");
export const anyType: CelType = new CelType("any", "google.protobuf.Any");
export const boolType: CelType = new CelType("bool", "bool");
export const bytesType: CelType = new CelType("bytes", "bytes");
export const doubleType: CelType = new CelType("double", "double");
export const durationType: CelType = new CelType("duration", "google.protobuf.Duration");
export const errorType: CelType = new CelType("error", "error");
export const intType: CelType = new CelType("int", "int");
export const nullType: CelType = new CelType("null", "null_type");
export const stringType: CelType = new CelType("string", "string");
export const timestampType: CelType = new CelType("timestamp", "google.protobuf.Timestamp");
export const typeType: CelType = new CelType("type", "type");
export const uintType: CelType = new CelType("uint", "uint");

/** A list of elements of a type. */
export const listOf = (element: CelType): CelType => new CelType("list", "list", [element]);

/** A map from keys to values. */
export const mapOf = (key: CelType, value: CelType): CelType =>
  new CelType("map", "map", [key, value]);

/** A value that may be absent. */
export const optionalOf = (value: CelType): CelType => opaque("optional_type", value);

/** A type with no accessible fields. */
export const opaque = (name: string, ...parameters: readonly CelType[]): CelType =>
  new CelType("opaque", name, parameters);

/** An object with named fields. */
export const objectType = (name: string): CelType => new CelType("struct", name);

/** A type variable. */
export const typeParam = (name: string): CelType => new CelType("param", name);

/** The type of a type. */
export const typeOfType = (type: CelType): CelType => new CelType("type", "type", [type]);

/** Whether a type is an optional. */
export const isOptionalType = (type: CelType): boolean =>
  type.kind === "opaque" && type.name === "optional_type";

/** The one type parameter of an optional, a list or a type. */
export function parameterOf(type: CelType, index = 0): CelType {
  const parameter = type.parameters[index];
  if (parameter === undefined) throw new RangeError(`${type.name} has no parameter ${index}`);
  return parameter;
}
