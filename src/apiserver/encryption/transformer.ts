import type { MaybePromise } from "#/std/base/maybe-promise.ts";

/** Encrypts values for the store, and decrypts them. */
export interface Transformer {
  /** Prefix of values that this transformer has written. */
  readonly prefix: Buffer;
  /** Binds the value to its storage key, if the cipher supports it. */
  encrypt(value: Uint8Array, key: string): MaybePromise<Buffer>;
  /** Throws if the value was changed, or was written with another key. */
  decrypt(value: Uint8Array, key: string): MaybePromise<Buffer>;
  /** Whether a value of this transformer should be written again: its key is not the one in use any more. */
  isStale?(value: Uint8Array): boolean;
  /** Rejects with the reason if the key is not available; absent if that can't happen. */
  health?(): Promise<void>;
}
