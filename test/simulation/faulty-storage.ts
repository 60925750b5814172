import {
  AmbiguousWriteError,
  type Expectation,
  type PutOptions,
  UnavailableError,
  type WriteResult,
} from "#/storage/base/storage.ts";
import { MemoryStorage } from "#/testing/memory-storage/memory-storage.ts";
import type { Faults } from "./faults.ts";

/** Called with each write at the moment it takes place; undefined if the key was deleted. */
export type OnCommit = (key: string, value: Uint8Array | undefined, revision: number) => void;

/** The memory store, with writes that fail and writes with an unknown outcome. */
export class FaultyStorage extends MemoryStorage {
  faults: Faults | undefined;
  onCommit: OnCommit | undefined;

  override put(key: string, value: Uint8Array, options: PutOptions): Promise<WriteResult> {
    return this.#write(async () => {
      const result = await super.put(key, value, options);
      if (result.done) this.onCommit?.(key, value, result.revision);
      return result;
    });
  }

  override delete(key: string, options: { readonly expect: Expectation }): Promise<WriteResult> {
    return this.#write(async () => {
      const result = await super.delete(key, options);
      if (result.done) this.onCommit?.(key, undefined, result.revision);
      return result;
    });
  }

  async #write(write: () => Promise<WriteResult>): Promise<WriteResult> {
    const { faults } = this;
    if (faults?.happens("refusedWrite")) throw new UnavailableError("the store has no leader");
    if (!faults?.happens("ambiguousWrite")) return await write();
    if (faults.coin()) await write();
    throw new AmbiguousWriteError("the answer was lost");
  }
}
