import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { seededRandom } from "#/std/base/random.ts";
import { chooseEndpoint } from "./choose-endpoint.ts";

const slice = (
  addressType: "IPv4" | "IPv6",
  addresses: readonly string[],
  ready = true,
): EndpointSlice => ({
  metadata: { name: "a" },
  addressType,
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready } })),
  ports: [{ name: "web", port: 8080 }],
});

function choose(slices: readonly EndpointSlice[], family?: string, portName = "web"): Set<string> {
  const random = seededRandom(1);
  const chosen = Array.from({ length: 50 }, () =>
    chooseEndpoint({ service: "s", slices, portName, family, random }),
  );
  return new Set(chosen.map(({ hostname, port }) => `${hostname} ${port}`));
}

test("chooseEndpoint() returns any ready endpoint, of the preferred family first", () => {
  const slices = [slice("IPv6", ["fd00::1"]), slice("IPv4", ["1.1.1.1", "1.1.1.2"])];
  assert.deepEqual(choose(slices, "IPv4"), new Set(["1.1.1.1 8080", "1.1.1.2 8080"]));
  assert.deepEqual(
    choose([slice("IPv4", ["1.1.1.1"], false), slices[0] as EndpointSlice], "IPv4"),
    new Set(["fd00::1 8080"]),
  );
});

test("chooseEndpoint() throws if there is none", () => {
  const message = 'no endpoints available for service "s"';
  assert.throws(() => choose([]), { message });
  assert.throws(() => choose([slice("IPv4", ["1.1.1.1"], false)]), { message });
  assert.throws(() => choose([slice("IPv4", ["1.1.1.1"])], "IPv4", "other"), { message });
});
