import assert from "node:assert/strict";
import { test } from "node:test";
import { overlayFlags } from "./config-file.ts";
import { type FlagSet, parseFlags } from "./flags.ts";

const flags = {
  "anonymous-auth": {
    type: "bool",
    default: true,
    help: "",
    config: "authentication.anonymous.enabled",
  },
  "sync-frequency": { type: "duration", default: 60_000, help: "", config: "syncFrequency" },
  "max-pods": { type: "int32", default: 110, help: "", config: "maxPods" },
  "node-labels": { type: "mapStringString", help: "" },
} satisfies FlagSet;

test("overlayFlags() overrides the file by given flags and keeps the rest", () => {
  const config = { maxPods: 50, syncFrequency: "10s", evictionHard: { "memory.available": "1Gi" } };
  const parsed = parseFlags(flags, [
    "--no-anonymous-auth",
    "--sync-frequency=90s",
    "--node-labels=a=b",
  ]);
  assert.deepEqual(overlayFlags<object, typeof flags>(config, flags, parsed), {
    maxPods: 50,
    syncFrequency: "1m30s",
    evictionHard: { "memory.available": "1Gi" },
    authentication: { anonymous: { enabled: false } },
  });
  assert.equal(config.syncFrequency, "10s");
});

test("overlayFlags() applies a flag given with its default value", () => {
  const parsed = parseFlags(flags, ["--max-pods=110"]);
  assert.deepEqual(overlayFlags({ maxPods: 50 }, flags, parsed), { maxPods: 110 });
});
