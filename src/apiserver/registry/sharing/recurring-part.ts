import { ConstantMember } from "#/machinery/apply/compare.ts";
import { memberPlace } from "#/machinery/codec/json/json-scan.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import { LruMap } from "#/std/memory/lru-map.ts";
import { readShared, type Shared, share } from "./shared.ts";
import { isWorthSharing, type Origin, type SharedValue } from "./shared-values.ts";

/** Limit of parts (count), and of texts that came once: each is at most 16 KiB, so that a version keeps 8 MiB. */
const rememberedParts = 256;

/** What a part of a body that comes again and again stands for, all its defaults included. */
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

/** A part of a JSON text, and what it stood for when it came before. */
export interface Occurrence {
  /** Undefined if it isn't known. */
  readonly known: RecurringValue | undefined;
  /** The whole text with null in place of the part. */
  rest(): Uint8Array;
  /** Says what the part stands for, all its defaults included. */
  remember(value: object): void;
}

/**
 * The values of one member of JSON objects, by their text. Clients that make many objects from one template, as the
 * controller of ReplicaSets does, send the same bytes again and again: those need not be read again.
 */
export class RecurringPart {
  readonly name: string;
  readonly #values = new LruMap<string, RecurringValue>(rememberedParts);
  /** Most texts never come again: only those that do are remembered with their value. */
  readonly #cameOnce = new LruMap<string, true>(rememberedParts);

  constructor(name: string) {
    this.name = name;
  }

  /** Looks the part of a text up; undefined if it has none that is worth it. */
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
