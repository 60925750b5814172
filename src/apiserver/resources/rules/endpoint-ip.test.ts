import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { validateEndpointIp } from "./endpoint-ip.ts";

const multicast = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)";
const cases: readonly [text: string, problem: string | undefined][] = [
  ["x", "must be a valid IP address"],
  ["0.0.0.0", "may not be unspecified (0.0.0.0)"],
  ["::1", "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  ["224.0.0.5", multicast],
  ["ff02::5", multicast],
  ["224.0.1.5", undefined],
];

for (const [text, problem] of cases) {
  test(`validateEndpointIp() of ${text}: ${problem ?? "fine"}`, () => {
    const found = validateEndpointIp(fieldPath("f"), text).map(({ detail }) => detail);
    assert.deepEqual(found, problem === undefined ? [] : [problem]);
  });
}
