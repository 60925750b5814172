import assert from "node:assert/strict";
import { test } from "node:test";
import { serversWithOwn } from "./known-servers.ts";

const own = "https://127.0.0.1:6443";
const here = "https://192.0.2.1:6443";
const there = "https://192.0.2.2:6443";

for (const [claim, addresses, its, expected] of [
  ["has the own server once", [here], own, [own]],
  ["has the others after it", [there, here, there], own, [own, there]],
  [
    "has another server on this machine",
    ["https://192.0.2.1:7443"],
    own,
    [own, "https://192.0.2.1:7443"],
  ],
  ["has it by an IPv6 address", ["https://[2001:db8::1]:6443"], own, [own]],
  ["has all if none is the own one", [here, there, here], undefined, [here, there]],
] as const) {
  test(`serversWithOwn() ${claim}`, () => {
    const machineIps = ["127.0.0.1", "192.0.2.1", "2001:db8::1"];
    assert.deepEqual(serversWithOwn(addresses, its, machineIps), expected);
  });
}
