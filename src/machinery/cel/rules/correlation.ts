import { deepEqual } from "../../objects/deep-equal.ts";
import { type JsonSchema, propertySchema, valuesSchema } from "../schema/json-schema.ts";
import { MapList } from "./map-list.ts";

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * A part of an object with the corresponding part of the old object. Undefined if there is none.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/common/equality.go.
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

  /** Whether the part is unchanged. */
  get isUnchanged(): boolean {
    this.#equal ??= this.#compare();
    return this.#equal;
  }

  /** The correlation of a field. */
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

  /** The correlation of an item; only lists with keys have it. */
  item(index: number): Correlation | undefined {
    const { items } = this.#schema;
    if (!Array.isArray(this.#value) || !Array.isArray(this.#old) || items === undefined) {
      return undefined;
    }
    this.#mapList ??= new MapList(this.#schema, this.#old);
    const old = this.#mapList.find(this.#value[index]);
    return old === undefined ? undefined : new Correlation(this.#value[index], old, items);
  }

  /**
   * Fields that are not in the schema count as changed; the order of items with keys is ignored.
   */
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

/**
 * Decides whether an error becomes a warning, because the update does not change the invalid part.
 */
export class Ratchet {
  readonly #current: Correlation | undefined;
  /** The nearest enclosing part with a counterpart in the old object. */
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
    // Both objects have been converted to the same version and kind.
    const isRoot = this.#parent === undefined;
    if (isRoot && (name === "apiVersion" || name === "kind")) return new Ratchet();
    return new Ratchet(this.#current.field(name), this.#current);
  }

  item(index: number): Ratchet {
    if (this.#current === undefined) return this;
    return new Ratchet(this.#current.item(index), this.#current);
  }

  /** For schemas beside this one: ignores the current part, but not the enclosing ones. */
  withoutCurrent(): Ratchet {
    return new Ratchet(undefined, this.#parent);
  }
}
