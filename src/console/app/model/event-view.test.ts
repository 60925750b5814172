import assert from "node:assert/strict";
import { test } from "node:test";
import { newestByReason } from "./event-view.ts";

const event = (name: string, reason: string, message: string, second: number, count = 1) => ({
  metadata: { name: `${name}.${message}`, uid: `${name}.${message}` },
  type: "Warning",
  reason,
  message,
  count,
  lastTimestamp: `2026-01-01T00:00:0${second}Z`,
  involvedObject: { apiVersion: "v1", kind: "Pod", namespace: "shop", name },
});

test("newestByReason() makes one of what happened again to an object", () => {
  const shown = newestByReason([
    event("web", "Failed", "mount 1", 1, 2),
    event("web", "Failed", "mount 2", 5, 3),
    event("api", "Failed", "mount 3", 4),
    event("web", "Pulled", "it is there", 3),
  ]).map(({ name, reason, message, count }) => `${name} ${reason} ${message} x${count}`);
  assert.deepEqual(shown, [
    "web Failed mount 2 x5",
    "api Failed mount 3 x1",
    "web Pulled it is there x1",
  ]);
});
