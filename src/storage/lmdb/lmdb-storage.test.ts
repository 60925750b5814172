import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "#/testing/fake-clock.ts";
import { storageContract } from "../contract/storage.contract.ts";
import { storageModel } from "../contract/storage.model.ts";
import type { StorageUnderTest } from "../contract/under-test.contract.ts";
import { LmdbStorage } from "./lmdb-storage.ts";
import { restoreDirectory } from "./restore.ts";

const openNew = async (): Promise<StorageUnderTest> =>
  open(await mkdtemp(join(tmpdir(), "k8ts-lmdb-")), new FakeClock());

storageContract("lmdb", openNew);
storageModel("lmdb", openNew);

async function open(directory: string, clock: FakeClock): Promise<StorageUnderTest> {
  const storage = await LmdbStorage.open({ directory, clock });
  return {
    storage,
    passTime: (ms) => clock.advance(ms),
    async reopen() {
      await storage[Symbol.asyncDispose]();
      return open(directory, clock);
    },
    async restore(file) {
      const restored = `${directory}-restored`;
      await restoreDirectory(file, restored, clock);
      return open(restored, clock);
    },
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}
