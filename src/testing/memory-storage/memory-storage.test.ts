import { storageContract } from "#/storage/contract/storage.contract.ts";
import { storageModel } from "#/storage/contract/storage.model.ts";
import type { StorageUnderTest } from "#/storage/contract/under-test.contract.ts";
import { FakeClock } from "../fake-clock.ts";
import { MemoryStorage } from "./memory-storage.ts";

const openNew = async (): Promise<StorageUnderTest> => {
  const clock = new FakeClock();
  return underTest(new MemoryStorage({ clock }), clock);
};

storageContract("memory", openNew);
storageModel("memory", openNew);

function underTest(storage: MemoryStorage, clock: FakeClock): StorageUnderTest {
  return {
    storage,
    passTime: (ms) => clock.advance(ms),
    restore: async (file) => underTest(await MemoryStorage.restore(file, { clock }), clock),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}
