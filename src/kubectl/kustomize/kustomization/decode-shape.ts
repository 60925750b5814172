/** Upstream: encoding/json of Go, sigs.k8s.io/yaml. */
import { isJsonObject } from "#/machinery/patch/values/json-value.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { KustomizeError } from "../failure/kustomize-error.ts";

/** The expected type of a value. */
export type Shape =
  | { readonly type: "string" | "bool" | "int" | "int64" | "any" }
  | { readonly type: "list"; readonly items: Shape }
  | { readonly type: "map"; readonly values: Shape }
  | { readonly type: "struct"; readonly name: string; readonly fields: Fields };

export type Fields = Readonly<Record<string, Shape>>;

interface DecodeOptions {
  /** True to reject unknown fields. */
  readonly strict?: boolean;
  /** True to accept numbers and booleans as strings. */
  readonly convertsTexts?: boolean;
}

/**
 * Decodes a value by a shape: field names in any case, nulls left out. Throws the first mismatch with Go's message.
 */
export function decodeShape(value: unknown, shape: Shape, options: DecodeOptions = {}): unknown {
  const decoder = new ShapeDecoder(options);
  const decoded = decoder.decode(value, shape, []);
  if (decoder.problem !== undefined) throw new KustomizeError(decoder.problem);
  return decoded;
}

class ShapeDecoder {
  problem: string | undefined;
  readonly #options: DecodeOptions;
  #struct = "";

  constructor(options: DecodeOptions) {
    this.#options = options;
  }

  decode(value: unknown, shape: Shape, path: readonly string[]): unknown {
    if (value === null || value === undefined) return undefined;
    switch (shape.type) {
      case "any":
        return value;
      case "list":
        if (!Array.isArray(value)) return this.#refuse(value, shape, path);
        return value.map((item) => this.decode(item, shape.items, path) ?? zeroOf(shape.items));
      case "map":
        return isJsonObject(value)
          ? this.#map(value, shape.values, path)
          : this.#refuse(value, shape, path);
      case "struct":
        return isJsonObject(value)
          ? this.#fields(value, shape.name, shape.fields, path)
          : this.#refuse(value, shape, path);
      default:
        return this.#scalar(value, shape, path);
    }
  }

  #scalar(value: unknown, shape: Shape, path: readonly string[]): unknown {
    if (shape.type === "string") {
      if (typeof value === "string") return value;
      const converts = this.#options.convertsTexts && typeof value !== "object";
      return converts ? String(value) : this.#refuse(value, shape, path);
    }
    if (shape.type === "bool") {
      return typeof value === "boolean" ? value : this.#refuse(value, shape, path);
    }
    const isInteger = typeof value === "bigint" || Number.isInteger(value);
    return isInteger ? Number(value) : this.#refuse(value, shape, path);
  }

  #map(value: object, values: Shape, path: readonly string[]): object {
    const entries = Object.entries(value).sort(byName);
    return Object.fromEntries(
      entries.map(([key, item]) => [key, this.decode(item, values, path) ?? zeroOf(values)]),
    );
  }

  #fields(value: object, name: string, fields: Fields, path: readonly string[]): object {
    const decoded: Record<string, unknown> = {};
    const outer = this.#struct;
    for (const [key, item] of Object.entries(value).sort(byName)) {
      const known = knownName(fields, key);
      const shape = known === undefined ? undefined : fields[known];
      if (known === undefined || shape === undefined) {
        if (this.#options.strict) this.problem ??= `json: unknown field ${goQuote(key)}`;
        continue;
      }
      this.#struct = name;
      const part = this.decode(item, shape, [...path, known]);
      if (part !== undefined) decoded[known] = part;
    }
    this.#struct = outer;
    return decoded;
  }

  #refuse(value: unknown, shape: Shape, path: readonly string[]): undefined {
    const what = jsonType(value, shape);
    const into =
      path.length === 0
        ? `Go value of type ${goType(shape)}`
        : `Go struct field ${this.#struct}.${path.join(".")} of type ${goType(shape)}`;
    this.problem ??= `json: cannot unmarshal ${what} into ${into}`;
  }
}

function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}

/** Go accepts names in any case, and prefers an exact match. */
function knownName(fields: Fields, key: string): string | undefined {
  if (Object.hasOwn(fields, key)) return key;
  const lower = key.toLowerCase();
  return Object.keys(fields).find((name) => name.toLowerCase() === lower);
}

function zeroOf(shape: Shape): unknown {
  if (shape.type === "string") return "";
  if (shape.type === "bool") return false;
  if (shape.type === "struct") return {};
  return shape.type === "int" || shape.type === "int64" ? 0 : undefined;
}

function jsonType(value: unknown, shape: Shape): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (Array.isArray(value)) return "array";
  if (typeof value === "object") return "object";
  return shape.type === "int" || shape.type === "int64" ? `number ${String(value)}` : "number";
}

function goType(shape: Shape): string {
  switch (shape.type) {
    case "any":
      return "interface {}";
    case "list":
      return `[]${goType(shape.items)}`;
    case "map":
      return `map[string]${goType(shape.values)}`;
    case "struct":
      return `types.${shape.name}`;
    default:
      return shape.type;
  }
}
