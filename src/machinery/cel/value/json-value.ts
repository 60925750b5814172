import { CelType } from "../type/cel-type.ts";
import { CelFault } from "./cel-fault.ts";
import { CelList, outOfRange } from "./cel-list.ts";
import { CelMap } from "./cel-map.ts";
import { CelObject } from "./cel-object.ts";
import type { CelResult, CelValue } from "./cel-value.ts";
import { Duration } from "./duration.ts";
import { objectKeys } from "./evaluation-memory.ts";
import { Optional } from "./optional.ts";
import { Timestamp } from "./timestamp.ts";
import { isInt64, Uint } from "./uint.ts";

/**
 * A CEL value from JSON of unknown type: as in upstream's unstructured objects, an integer is an
 * int. CEL values are returned unchanged. Lists and objects are not copied.
 */
export function toCelValue(value: unknown): CelResult {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return fromNumber(value);
    case "bigint":
      return isInt64(value) ? value : Number(value);
    case "object":
      return value === null ? null : fromObject(value);
    case "undefined":
      return null;
    default:
      return new CelFault(`unsupported conversion to ref.Val: ${typeof value}`);
  }
}

function fromNumber(value: number): CelValue {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value) : value;
}

const classes = [CelMap, CelList, CelObject, Optional, Timestamp, Duration, Uint, CelType] as const;

function fromObject(value: object): CelResult {
  if (Array.isArray(value)) return new JsonList(value);
  if (value instanceof Uint8Array || value instanceof CelFault) return value;
  for (const type of classes) if (value instanceof type) return value;
  return new JsonMap(value as Readonly<Record<string, unknown>>);
}

/** A list of JSON values. */
class JsonList extends CelList {
  readonly #items: readonly unknown[];

  constructor(items: readonly unknown[]) {
    super();
    this.#items = items;
  }

  override get length(): number {
    return this.#items.length;
  }

  override at(index: number): CelResult {
    return index < this.length ? toCelValue(this.#items[index]) : outOfRange(index, this.length);
  }
}

/** A JSON object. */
class JsonMap extends CelMap {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    super();
    this.#fields = fields;
  }

  override get size(): number {
    return objectKeys(this.#fields).length;
  }

  override find(key: CelValue): CelResult | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.#fields, key)) return undefined;
    return toCelValue(this.#fields[key]);
  }

  override keys(): Iterable<CelValue> {
    return objectKeys(this.#fields);
  }
}
