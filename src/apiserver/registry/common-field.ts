import type { StructSchema } from "#/api/schema.ts";
import { dropEmptyLists } from "#/machinery/codec/nil-lists.ts";
import { RecurringPart } from "#/machinery/codec/recurring-part.ts";
import { SharedValues } from "#/machinery/codec/shared-values.ts";
import type { ApiObject, Declaration } from "./strategy.ts";

type Fields = ApiObject & Record<string, object | undefined>;

/** The field that many stored objects of a kind have in common (Strategy.commonField). */
export class CommonField {
  readonly #name: string;
  readonly #schema: StructSchema;
  readonly #values: SharedValues;
  readonly #stored: RecurringPart;

  constructor(name: string, schema: StructSchema, values: SharedValues) {
    this.#name = name;
    this.#schema = schema;
    this.#values = values;
    this.#stored = new RecurringPart(name);
  }

  /** Gives an object that is about to be stored the value of those that have the same. */
  share(object: ApiObject): void {
    dropEmptyLists(object, this.#schema);
    const fields = object as Fields;
    const value = fields[this.#name];
    if (value) fields[this.#name] = this.#values.share(value);
  }

  /**
   * Reads a stored object. `readWhole` may be given the rest of one whose field was read before; `complete` gives it its
   * defaults, once it has that field.
   */
  read(
    bytes: Uint8Array,
    readWhole: (bytes: Uint8Array) => ApiObject,
    complete: Complete,
  ): ApiObject {
    // Another server may have stored protobuf.
    const found = bytes[0] === openingBrace ? this.#stored.find(bytes) : undefined;
    const known = found?.value;
    const object = readWhole(known ? found.rest() : bytes) as Fields;
    if (known) object[this.#name] = known;
    complete(object);
    const value = object[this.#name];
    if (found && !known && value) found.remember(value);
    return object;
  }
}

type Complete = (object: ApiObject) => void;

const openingBrace = 0x7b;

/** The common field of a kind that has one, and one version only. */
export function commonFieldOf(
  { commonField, versions }: Declaration,
  schema: StructSchema,
): CommonField | undefined {
  const field = commonField === undefined ? undefined : schema.fields.get(commonField);
  if (!field || versions.length > 1) return undefined;
  return new CommonField(field.name, schema, new SharedValues(field.schema));
}
