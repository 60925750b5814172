import { describe } from "node:test";
import { lifetimeContract } from "./lifetime.ts";
import { readsContract } from "./reads.ts";
import type { OpenStorage } from "./under-test.ts";
import { watchesContract } from "./watches.ts";
import { writesContract } from "./writes.ts";

/** What every implementation of Storage must do, as tests. */
export function storageContract(name: string, open: OpenStorage): void {
  describe(`${name} storage`, () => {
    readsContract(open);
    writesContract(open);
    watchesContract(open);
    lifetimeContract(open);
  });
}
