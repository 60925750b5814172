import { deepEqual } from "../../objects/deep-equal.ts";
import { type JsonSchema, propertySchema, valuesSchema } from "../schema/json-schema.ts";
import { MapList } from "./map-list.ts";

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * A part of an object beside the part of the old object that it comes from. Parts that have none are undefined.
 *
 * Upstream: apiserver/pkg/cel/common/equality.go.
 */
export class Correlation {
  readonly #value: unknown;
  readonly #old: unknown;
  readonly #schema: JsonSchema;
  #equal: boolean | undefined;
  #mapList: MapList | undefined;
  readonly #fields = new Map<string, Correlation>();

  constructor(value: unknown, old: unknown, schema: JsonSchema) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  /** Whether the part is as it was. */
  get isUnchanged(): boolean {
    this.#equal ??= this.#compare();
    return this.#equal;
  }

  /** A field of it. */
  field(name: string): Correlation | undefined {
    if (!isFields(this.#value) || !isFields(this.#old)) return undefined;
    if (!Object.hasOwn(this.#value, name) || !Object.hasOwn(this.#old, name)) return undefined;
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const schema = propertySchema(this.#schema, name) ?? valuesSchema(this.#schema);
    if (schema === undefined) return undefined;
    const field = new Correlation(this.#value[name], this.#old[name], schema);
    this.#fields.set(name, field);
    return field;
  }

  /** An item of it, which only lists with keys have. */
  item(index: number): Correlation | undefined {
    const { items } = this.#schema;
    if (!Array.isArray(this.#value) || !Array.isArray(this.#old) || items === undefined) {
      return undefined;
    }
    this.#mapList ??= new MapList(this.#schema, this.#old);
    const old = this.#mapList.find(this.#value[index]);
    return old === undefined ? undefined : new Correlation(this.#value[index], old, items);
  }

  /** Fields that the schema does not know count as changed; the order of items with keys does not count. */
  #compare(): boolean {
    const value = this.#value;
    const old = this.#old;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (this.#schema["x-kubernetes-list-type"] !== "map") return deepEqual(value, old);
      return value.every((_, index) => this.item(index)?.isUnchanged ?? false);
    }
    if (isFields(value) && isFields(old)) {
      const names = Object.keys(value);
      if (names.length !== Object.keys(old).length) return false;
      return names.every((name) => this.field(name)?.isUnchanged ?? false);
    }
    return deepEqual(value, old);
  }
}

/** Decides whether an error is only to be a warning, because what it is about was so before. */
export class Ratchet {
  readonly #current: Correlation | undefined;
  /** The nearest part around this one that comes from the old object. */
  readonly #parent: Correlation | undefined;

  constructor(current?: Correlation, parent?: Correlation) {
    this.#current = current;
    this.#parent = parent;
  }

  get isUnchanged(): boolean {
    return (this.#current ?? this.#parent)?.isUnchanged ?? false;
  }

  field(name: string): Ratchet {
    if (this.#current === undefined) return this;
    // Both objects are of the same version and kind by now, whatever they were.
    const isRoot = this.#parent === undefined;
    if (isRoot && (name === "apiVersion" || name === "kind")) return new Ratchet();
    return new Ratchet(this.#current.field(name), this.#current);
  }

  item(index: number): Ratchet {
    if (this.#current === undefined) return this;
    return new Ratchet(this.#current.item(index), this.#current);
  }

  /** For schemas beside this one: what is here does not count, what is around it does. */
  withoutCurrent(): Ratchet {
    return new Ratchet(undefined, this.#parent);
  }
}
