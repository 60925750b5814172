import type { ObjectMeta } from "#/api/meta/v1-definitions.ts";
import type { RecurringValue } from "./recurring-part.ts";
import { ownCopy, type Shared } from "./shared.ts";

/**
 * An object as a client has sent it, with its defaults. Its metadata may be changed; the rest only after `own()`, as
 * one of its fields may be shared. The compiler does not accept it as a T, so code that changes a T can't take it.
 */
export class NewObject<T extends { metadata: ObjectMeta }> {
  /** The shared value that one of its fields came from, if any. */
  readonly origin: RecurringValue | undefined;
  readonly #object: T;
  readonly #field: string;
  #isOwn = false;

  /** Takes ownership of the object; its field gets the shared value. */
  constructor(object: T, field = "", origin?: RecurringValue) {
    this.origin = origin;
    this.#object = origin ? Object.assign(object, { [field]: origin.value }) : object;
    this.#field = field;
  }

  /** Its metadata, writable. */
  get meta(): ObjectMeta {
    return this.#object.metadata;
  }

  /** The whole object, read-only. */
  get shared(): Shared<T> {
    return this.#object as unknown as Shared<T>;
  }

  /** The object, writable: from now on it shares nothing. */
  own(): T {
    if (this.origin && !this.#isOwn) {
      Object.assign(this.#object, { [this.#field]: ownCopy(this.origin.value) });
    }
    this.#isOwn = true;
    return this.#object;
  }
}
