import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseServer } from "./choose-server.ts";
import { mergeServers } from "./known-servers.ts";

const server = (address: string, isUp: boolean | undefined, sinceMs = 0) => ({
  address,
  isUp,
  sinceMs,
});
const nowMs = 100_000;

for (const { name, servers, current, own, chosen } of [
  {
    name: "the own one first, before it is known whether it works",
    servers: [server("a", undefined), server("own", undefined)],
    own: "own",
    chosen: "own",
  },
  {
    name: "the present one while it works",
    servers: [server("a", true), server("b", true)],
    current: "b",
    chosen: "b",
  },
  {
    name: "another that works",
    servers: [server("a", false), server("b", undefined), server("c", true)],
    current: "a",
    chosen: "c",
  },
  {
    name: "the present one if none works",
    servers: [server("a", false), server("b", false)],
    current: "b",
    chosen: "b",
  },
  {
    name: "not the own one that has just come back",
    servers: [server("own", true, nowMs - 1_000), server("b", true)],
    current: "b",
    own: "own",
    chosen: "b",
  },
  {
    name: "the own one that has come back, and stays",
    servers: [server("own", true, nowMs - 60_000), server("b", true)],
    current: "b",
    own: "own",
    chosen: "own",
  },
]) {
  test(`chooseServer() takes ${name}`, () => {
    assert.equal(chooseServer({ servers, current, own, nowMs }), chosen);
  });
}

test("mergeServers() keeps servers that have left the list for a week, and has a limit", () => {
  const day = 24 * 3600 * 1000;
  const known = [
    { address: "gone", seenMs: 0 },
    { address: "old", seenMs: 7 * day },
    { address: "b", seenMs: 8 * day },
  ];
  assert.deepEqual(mergeServers(known, ["a", "b"], 9 * day), [
    { address: "a", seenMs: 9 * day },
    { address: "b", seenMs: 9 * day },
    { address: "old", seenMs: 7 * day },
  ]);
  const many = Array.from({ length: 40 }, (_, index) => `s${index}`);
  assert.equal(mergeServers([], many, 0).length, 16);
});
