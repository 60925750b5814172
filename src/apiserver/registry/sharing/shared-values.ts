import type { Schema } from "#/api/base/schema.ts";
import { valueText } from "#/machinery/codec/json/encode-json.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { keptBytes } from "#/std/memory/long-lived-bytes.ts";
import { LruMap } from "#/std/memory/lru-map.ts";
import type { CommonFindings, CommonHooks, ServerRules } from "./common-hooks.ts";
import { readShared, type Shared, share } from "./shared.ts";

/** Limit of values (count): each is at most 16 KiB of text, so that a resource keeps 4 MiB. */
const rememberedValues = 256;

/** Limits of a text (characters): below, a comparison costs more than it saves; above, a few would fill the memory. */
const leastLength = 512;
const mostLength = 16 * 1024;

/** Whether a text of this length is worth a comparison and small enough to keep. */
export const isWorthSharing = (length: number): boolean =>
  length >= leastLength && length <= mostLength;

/** A value that stands for all with its text: its encodings, and the results of hooks. */
export class SharedValue implements CommonFindings {
  readonly value: Shared<object>;
  /** Its JSON. */
  readonly bytes: Uint8Array;
  readonly #hooks: CommonHooks;
  #checked: { readonly rules: ServerRules; readonly errors: FieldErrors } | undefined;
  #warnings: readonly string[] | undefined;

  constructor(value: object, text: string, hooks: CommonHooks) {
    this.#hooks = hooks;
    this.value = share(value);
    this.bytes = keptBytes(Buffer.from(text));
  }

  errors({ enabled, allowPrivileged }: ServerRules): FieldErrors {
    const known = this.#checked;
    if (known?.rules.enabled === enabled && known.rules.allowPrivileged === allowPrivileged) {
      return known.errors;
    }
    const rules = { enabled, allowPrivileged };
    const errors = this.#hooks.validate?.(readShared(this.value), rules);
    this.#checked = { rules, errors };
    return errors;
  }

  warnings(): readonly string[] | undefined {
    this.#warnings ??= this.#hooks.warnings?.(readShared(this.value));
    return this.#warnings;
  }
}

type FieldErrors = readonly FieldError[] | undefined;

/** A value that was shared when it was read: the final value of its copy, the last time. */
export interface Origin {
  outcome: SharedValue | undefined;
}

/**
 * The values of a field that many objects have in common, such as the specs of a ReplicaSet's Pods. One value is kept
 * for each text: it is in memory once, it is encoded once, and the results of hooks hold for all.
 */
export class SharedValues {
  readonly #schema: Schema;
  readonly #hooks: CommonHooks;
  readonly #byText = new LruMap<string, SharedValue>(rememberedValues);

  constructor(schema: Schema, hooks: CommonHooks) {
    this.#schema = schema;
    this.#hooks = hooks;
  }

  /**
   * The value that stands for this one, possibly itself, which then must not be changed any more; undefined if its size
   * is not worth it. `origin` is the value that this one is a copy of, possibly changed since.
   */
  share(value: object, origin?: Origin): SharedValue | undefined {
    const likely = origin?.outcome;
    if (likely && deepEqual(value, readShared(likely.value))) return likely;
    const result = this.#ofText(valueText(value, this.#schema), value);
    if (origin) origin.outcome = result;
    return result;
  }

  #ofText(text: string, value: object): SharedValue | undefined {
    if (!isWorthSharing(text.length)) return undefined;
    const known = this.#byText.get(text);
    if (known) return known;
    const shared = new SharedValue(value, text, this.#hooks);
    this.#byText.set(text, shared);
    return shared;
  }
}
