import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDetachKeys } from "./detach-keys.ts";
import { parsePorts } from "./port-forwarder.ts";

test("ports are local:remote, one for both, or any local one", () => {
  assert.deepEqual(parsePorts(["5000", "8080:80", ":443"]), [
    { local: 5000, remote: 5000 },
    { local: 8080, remote: 80 },
    { local: 0, remote: 443 },
  ]);
});

for (const [text, message] of [
  ["a", /error parsing local port 'a'/],
  ["1:2:3", /invalid port format '1:2:3'/],
  ["1:0", /remote port must be > 0/],
  ["70000", /value out of range/],
] as const) {
  test(`refuses ${text}`, () => assert.throws(() => parsePorts([text]), message));
}

test("detach keys are characters and control keys", () => {
  assert.deepEqual(parseDetachKeys("ctrl-p,ctrl-q,a"), [16, 17, 97]);
  assert.throws(() => parseDetachKeys("ctrl-"));
});
