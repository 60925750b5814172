import { describe } from "node:test";
import { lifetimeContract } from "./contract/lifetime.ts";
import { readsContract } from "./contract/reads.ts";
import type { OpenStorage } from "./contract/under-test.ts";
import { watchesContract } from "./contract/watches.ts";
import { writesContract } from "./contract/writes.ts";

/** What every implementation of Storage must do, as tests. */
export function storageContract(name: string, open: OpenStorage): void {
  describe(`${name} storage`, () => {
    readsContract(open);
    writesContract(open);
    watchesContract(open);
    lifetimeContract(open);
  });
}
