import { FakeClock } from "#/std/fake-clock.ts";
import type { StorageUnderTest } from "../contract/under-test.ts";
import { storageContract } from "../storage.contract.ts";
import { MemoryStorage } from "./memory-storage.ts";

storageContract("memory", async () => {
  const clock = new FakeClock();
  return underTest(new MemoryStorage({ clock }), clock);
});

function underTest(storage: MemoryStorage, clock: FakeClock): StorageUnderTest {
  return {
    storage,
    passTime: (ms) => clock.advance(ms),
    restore: async (file) => underTest(await MemoryStorage.restore(file, { clock }), clock),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}
