import type { MaybePromise } from "#/std/base/maybe-promise.ts";

/** Makes values unreadable for who has only the store, and readable again. */
export interface Transformer {
  /** What values begin with that this one has written. */
  readonly prefix: Buffer;
  /** The key under which the value is stored is bound to it, where the cipher can do that. */
  encrypt(value: Uint8Array, key: string): MaybePromise<Buffer>;
  /** Throws if the value was changed, or was written with another key. */
  decrypt(value: Uint8Array, key: string): MaybePromise<Buffer>;
  /** Whether a value that this one has written is to be written anew: its key is not the one in use any more. */
  isStale?(value: Uint8Array): boolean;
  /** Rejects with the reason when the key can't be had now; absent where there is nobody to ask. */
  health?(): Promise<void>;
}
