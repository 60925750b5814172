import type { ObjectMeta } from "#/api/meta/v1-definitions.ts";
import type { RecurringValue } from "./recurring-part.ts";
import { ownCopy, type Shared } from "./shared.ts";

/**
 * An object as a client has sent it, with its defaults. Its metadata may be changed; the rest only after `own()`, as one of its
 * fields may be shared with others. It is no T to the compiler: code that changes a T does not take it.
 */
export class NewObject<T extends { metadata: ObjectMeta }> {
  /** What one of its fields came from, if that is shared. */
  readonly origin: RecurringValue | undefined;
  readonly #object: T;
  readonly #field: string;
  #isOwn = false;

  /** Takes the object over; its field gets the value that it came from. */
  constructor(object: T, field = "", origin?: RecurringValue) {
    this.origin = origin;
    this.#object = origin ? Object.assign(object, { [field]: origin.value }) : object;
    this.#field = field;
  }

  /** Its metadata, to be read or changed. */
  get meta(): ObjectMeta {
    return this.#object.metadata;
  }

  /** The whole object, to be read. */
  get shared(): Shared<T> {
    return this.#object as unknown as Shared<T>;
  }

  /** The object, to be changed: from now on it shares nothing. */
  own(): T {
    if (this.origin && !this.#isOwn) {
      Object.assign(this.#object, { [this.#field]: ownCopy(this.origin.value) });
    }
    this.#isOwn = true;
    return this.#object;
  }
}
