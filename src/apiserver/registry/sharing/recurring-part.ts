import { ConstantMember } from "#/machinery/apply/compare.ts";
import { memberPlace } from "#/machinery/codec/json/json-scan.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import { LruMap } from "#/std/memory/lru-map.ts";
import { readShared, type Shared, share } from "./shared.ts";
import { isWorthSharing, type Origin, type SharedValue } from "./shared-values.ts";

/** Limit of parts (count), and of texts seen once: each is at most 16 KiB, so that a version keeps 8 MiB. */
const rememberedParts = 256;

/** The decoded value of a part that recurs in bodies, with all defaults. */
export class RecurringValue implements Origin {
  readonly value: Shared<object>;
  /** The same for field management. */
  readonly constant: ConstantMember;
  outcome: SharedValue | undefined;

  constructor(value: object) {
    this.value = share(value);
    this.constant = new ConstantMember(readShared(this.value) as JsonObject);
  }
}

/** A part of a JSON text, and its decoded value if the part was seen before. */
export interface Occurrence {
  /** Undefined if the part is not known. */
  readonly known: RecurringValue | undefined;
  /** The whole text with null in place of the part. */
  rest(): Uint8Array;
  /** Records the decoded value of the part, with all defaults. */
  remember(value: object): void;
}

/**
 * The values of one member of JSON objects, by their text. Clients that make many objects from one template, as the
 * ReplicaSet controller does, send the same bytes repeatedly: those need not be decoded again.
 */
export class RecurringPart {
  readonly name: string;
  readonly #values = new LruMap<string, RecurringValue>(rememberedParts);
  /** Most texts never recur: only those that do are kept with their value. */
  readonly #cameOnce = new LruMap<string, true>(rememberedParts);

  constructor(name: string) {
    this.name = name;
  }

  /** Looks up the part of a text; undefined if it has none, or one of a size that is not worth it. */
  find(body: Uint8Array): Occurrence | undefined {
    const place = memberPlace(body, this.name);
    if (!place) return undefined;
    const { start, end } = place;
    if (!isWorthSharing(end - start)) return undefined;
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
    const text = bytes.toString("latin1", start, end);
    return {
      known: this.#values.get(text),
      rest: () => Buffer.concat([bytes.subarray(0, start), nothing, bytes.subarray(end)]),
      remember: (value) => this.#remember(text, value),
    };
  }

  #remember(text: string, value: object): void {
    if (!this.#cameOnce.get(text)) {
      this.#cameOnce.set(text, true);
      return;
    }
    this.#cameOnce.delete(text);
    this.#values.set(text, new RecurringValue(deepCopy(value)));
  }
}

const nothing = Buffer.from("null");
