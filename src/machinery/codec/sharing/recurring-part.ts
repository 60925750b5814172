import { LruMap } from "#/std/memory/lru-map.ts";
import { deepCopy } from "../../objects/deep-copy.ts";
import { memberPlace } from "../json/json-scan.ts";
import { isWorthSharing, markShared } from "./shared-values.ts";

/** So many parts are remembered, and as many texts that came once. */
const rememberedParts = 256;

/** A part of a JSON text, and what it stood for when it came before. */
export interface Occurrence {
  /** Shared: whoever wants to change it takes a copy. Undefined if it isn't known. */
  readonly value: object | undefined;
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
  readonly #values = new LruMap<string, object>(rememberedParts);
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
      value: this.#values.get(text),
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
    this.#values.set(text, markShared(deepCopy(value)));
  }
}

const nothing = Buffer.from("null");
