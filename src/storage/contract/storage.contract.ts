import { describe } from "node:test";
import { lifetimeContract } from "./lifetime.contract.ts";
import { readsContract } from "./reads.contract.ts";
import type { OpenStorage } from "./under-test.contract.ts";
import { watchesContract } from "./watches.contract.ts";
import { writesContract } from "./writes.contract.ts";

/** The tests that every implementation of Storage must pass. */
export function storageContract(name: string, open: OpenStorage): void {
  describe(`${name} storage`, () => {
    readsContract(open);
    writesContract(open);
    watchesContract(open);
    lifetimeContract(open);
  });
}
