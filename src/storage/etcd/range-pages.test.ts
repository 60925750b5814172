import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { systemClock } from "#/std/time/clock.ts";
import { implement, serve } from "#/testing/grpc-server.ts";
import { Members } from "./etcd-members.ts";
import { KV } from "./etcd-services.ts";
import { keysWithPrefix } from "./key-range.ts";
import { type PagesOptions, readPages } from "./range-pages.ts";

interface Read {
  /** The values of the pages, and the remaining number after each. */
  readonly values: number[];
  readonly remaining: number[];
  /** The requests: limit and revision. */
  readonly asked: [limit: number, revision: number][];
}

/**
 * Reads from a store with values of these sizes, at revision 7 and increasing, with a small
 * response limit.
 */
async function read(sizes: readonly number[], options: PagesOptions = {}): Promise<Read> {
  const name = (index: number): string => `/a/${String(index).padStart(5, "0")}`;
  const asked: Read["asked"] = [];
  const kv = implement(KV, {
    async Range({ key, limit, revision, keysOnly }) {
      asked.push([limit, revision]);
      const rest = sizes
        .map((size, index) => ({ key: name(index), size }))
        .filter((item) => item.key >= key);
      const kvs = rest.slice(0, limit).map((item) => ({
        key: item.key,
        value: new Uint8Array(keysOnly ? 0 : item.size),
      }));
      const more = rest.length > kvs.length;
      return { header: { revision: 6 + asked.length }, kvs, count: rest.length, more };
    },
  });
  await using server = await serve({ address: "127.0.0.1:0", services: [kv] });
  const endpoints = [`http://127.0.0.1:${server.port}`];
  const members = await Members.open({ endpoints, clock: systemClock, maxReceiveBytes: 3 << 20 });
  const keys = keysWithPrefix("/a/");
  assert.ok(keys);
  const result: Read = { values: [], remaining: [], asked };
  for await (const page of readPages(members, keys, options)) {
    result.values.push(...page.kvs.map(({ value }) => value.length));
    result.remaining.push(page.remaining);
  }
  await members.close();
  return result;
}

describe("readPages()", () => {
  test("starts with a small page, adapts to the size of values, and stays at one revision", async () => {
    const sizes = Array.from({ length: 5000 }, () => 1000);
    const { values, remaining, asked } = await read(sizes);
    assert.equal(values.length, 5000);
    assert.deepEqual(asked.slice(0, 2), [
      [500, 0],
      [1040, 7],
    ]);
    assert.deepEqual([remaining[0], remaining.at(-1)], [4500, 0]);
    assert.ok(asked.every(([, revision], index) => index === 0 || revision === 7));
  });

  test("requests less when the response is too large", async () => {
    const { values, asked } = await read([...Array(40).fill(1 << 20), 5, 5]);
    assert.deepEqual(values, [...Array(40).fill(1 << 20), 5, 5]);
    assert.deepEqual(
      asked.slice(0, 4).map(([limit]) => limit),
      [500, 63, 8, 1],
    );
  });

  test("fails when a single value is too large", async () => {
    await assert.rejects(read([4 << 20]), GrpcError);
  });

  test("reads no more than the limit", async () => {
    const { values, remaining, asked } = await read([1, 2, 3, 4, 5], { limit: 3 });
    assert.deepEqual([values, remaining, asked], [[1, 2, 3], [2], [[3, 0]]]);
  });

  test("reads keys in large pages, at the requested revision", async () => {
    const { values, asked } = await read([1, 2], { keysOnly: true, revision: 5 });
    assert.deepEqual([values, asked], [[0, 0], [[10_000, 5]]]);
  });

  test("yields one empty page when there are no keys", async () => {
    const { values, remaining } = await read([]);
    assert.deepEqual([values, remaining], [[], [0]]);
  });
});
