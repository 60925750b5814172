import { deepEqual } from "../../objects/deep-equal.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { CelMap } from "../value/cel-map.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { spendEffort } from "../value/effort.ts";
import { equals } from "../value/equality.ts";
import { objectKeys } from "../value/evaluation-memory.ts";
import { escapeName, unescapeName } from "./escape-name.ts";
import type { Converter } from "./schema-value.ts";

/** A field of an object: its name in the data, and the converter of its value. */
interface FieldShape {
  readonly name: string;
  readonly convert: Converter | undefined;
}

/** Finds and converts the fields of a schema's objects. */
export class ObjectShape {
  /** The fields of an object have identifiers; the keys of a map are not escaped. */
  readonly kind: "object" | "map";
  readonly #findConverter: (name: string) => Converter | undefined;
  readonly #fields = new Map<string, FieldShape | undefined>();

  constructor(kind: "object" | "map", findConverter: (name: string) => Converter | undefined) {
    this.kind = kind;
    this.#findConverter = findConverter;
  }

  /** The converter of a field; undefined if it is not in the schema. */
  converterOf(name: string): Converter | undefined {
    return this.#findConverter(name);
  }

  /** The field of a key in an expression. */
  field(key: string): FieldShape | undefined {
    if (this.kind === "map") return { name: key, convert: this.#findConverter(key) };
    const known = this.#fields.get(key);
    if (known !== undefined) return known;
    const name = unescapeName(key);
    const convert = name === undefined ? undefined : this.#findConverter(name);
    if (name === undefined || convert === undefined) return undefined;
    const field = { name, convert };
    this.#fields.set(key, field);
    return field;
  }
}

/** An object or map with a known schema. */
export class SchemaMap extends CelMap {
  readonly #data: Readonly<Record<string, unknown>>;
  readonly #shape: ObjectShape;

  constructor(data: Readonly<Record<string, unknown>>, shape: ObjectShape) {
    super();
    this.#data = data;
    this.#shape = shape;
  }

  /** Also counts fields that are not in the schema. */
  override get size(): number {
    return objectKeys(this.#data).length;
  }

  override get isZero(): boolean {
    return false;
  }

  override find(key: CelValue): CelResult | undefined {
    if (typeof key !== "string") return noSuchOverload;
    const field = this.#shape.field(key);
    if (field?.convert === undefined || !Object.hasOwn(this.#data, field.name)) return undefined;
    const data = this.#data[field.name];
    // A field that is null counts as absent.
    if (this.#shape.kind === "object" && (data === null || data === undefined)) return undefined;
    return field.convert(data);
  }

  override contains(key: CelValue): boolean | CelFault {
    const found = this.find(key);
    return found instanceof CelFault ? found : found !== undefined;
  }

  override *keys(): Generator<CelValue, void> {
    for (const name of objectKeys(this.#data)) {
      if (this.#shape.converterOf(name) === undefined) continue;
      yield this.#shape.kind === "object" ? (escapeName(name) ?? name) : name;
    }
  }

  override equals(other: CelValue): boolean | CelFault {
    if (!(other instanceof CelMap)) return noSuchOverload;
    if (this.size !== other.size) return false;
    spendEffort(2 * this.size);
    for (const name of objectKeys(this.#data)) {
      const equal =
        this.#shape.converterOf(name) === undefined
          ? this.#equalUnknown(name, other)
          : equalFields(this.find(name), other.find(name));
      if (equal !== true) return equal;
    }
    return true;
  }

  /** Fields that are not in the schema are compared unconverted, if both have them. */
  #equalUnknown(name: string, other: CelMap): boolean | CelFault {
    if (!(other instanceof SchemaMap)) return noSuchOverload;
    return !Object.hasOwn(other.#data, name) || deepEqual(this.#data[name], other.#data[name]);
  }
}

function equalFields(
  mine: CelResult | undefined,
  theirs: CelResult | undefined,
): boolean | CelFault {
  if (mine === undefined || theirs === undefined) return mine === theirs;
  if (mine instanceof CelFault) return mine;
  return theirs instanceof CelFault ? false : equals(mine, theirs);
}
