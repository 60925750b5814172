import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "#/std/time/clock.ts";
import type { Client } from "../client.ts";
import { discover } from "./discover.ts";

/** A client whose requests fail with their path, each after this number of event loop turns. */
function failingClient(turns: Readonly<Record<string, number>>): Client {
  const request = async ({ path }: { readonly path: string }): Promise<never> => {
    for (let turn = 0; turn < (turns[path] ?? 0); turn++) await nextTurn();
    throw new Error(`${path} failed`);
  };
  return { request } as unknown as Client;
}

for (const turns of [
  { "/api": 0, "/apis": 3 },
  { "/api": 3, "/apis": 0 },
]) {
  test(`discover() reports the core group's failure first, after ${JSON.stringify(turns)} turns`, async () => {
    await assert.rejects(discover(failingClient(turns)), { message: "/api failed" });
  });
}
