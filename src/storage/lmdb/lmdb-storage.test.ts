import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "#/std/fake-clock.ts";
import type { StorageUnderTest } from "../contract/under-test.ts";
import { storageContract } from "../storage.contract.ts";
import { LmdbStorage } from "./lmdb-storage.ts";

storageContract("lmdb", async () => {
  const clock = new FakeClock();
  const directory = await mkdtemp(join(tmpdir(), "k8ts-lmdb-"));
  return underTest(await LmdbStorage.open({ directory, clock }), clock, directory);
});

function underTest(storage: LmdbStorage, clock: FakeClock, directory: string): StorageUnderTest {
  return {
    storage,
    passTime: (ms) => clock.advance(ms),
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}
