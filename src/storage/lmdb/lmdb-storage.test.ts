import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "#/std/fake-clock.ts";
import type { StorageUnderTest } from "../contract/under-test.ts";
import { storageContract } from "../storage.contract.ts";
import { LmdbStorage } from "./lmdb-storage.ts";
import { restoreDirectory } from "./restore.ts";

storageContract("lmdb", async () => {
  const clock = new FakeClock();
  const directory = await mkdtemp(join(tmpdir(), "k8ts-lmdb-"));
  return open(directory, clock);
});

async function open(directory: string, clock: FakeClock): Promise<StorageUnderTest> {
  const storage = await LmdbStorage.open({ directory, clock });
  return {
    storage,
    passTime: (ms) => clock.advance(ms),
    async restore(file) {
      const other = await mkdtemp(join(tmpdir(), "k8ts-lmdb-"));
      await restoreDirectory(file, other, clock);
      return open(other, clock);
    },
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}
