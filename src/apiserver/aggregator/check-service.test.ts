import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { checkService } from "./check-service.ts";

const reference = { namespace: "n", name: "s", port: 443 };
const service = (spec: object): Service => ({ metadata: {}, spec });
const clusterIP = service({ type: "ClusterIP", ports: [{ name: "web", port: 443 }] });
const slice = (ready: boolean, name = "web"): EndpointSlice => ({
  metadata: {},
  addressType: "IPv4",
  endpoints: [{ addresses: ["1.1.1.1"], conditions: { ready } }],
  ports: [{ name, port: 8443 }],
});

test("checkService() returns the reason why an API is not available", () => {
  const missing = {
    reason: "MissingEndpoints",
    message: 'endpointslices for service/s in "n" have no addresses with port name "web"',
  };
  const cases: readonly [Service | undefined, readonly EndpointSlice[], object | undefined][] = [
    [undefined, [], { reason: "ServiceNotFound", message: 'service/s in "n" is not present' }],
    [
      service({ ports: [{ port: 80 }] }),
      [],
      { reason: "ServicePortError", message: 'service/s in "n" is not listening on port 443' },
    ],
    [
      clusterIP,
      [],
      {
        reason: "EndpointsNotFound",
        message: 'cannot find endpointslices for service/s in "n"',
      },
    ],
    [clusterIP, [slice(false)], missing],
    [clusterIP, [slice(true, "other")], missing],
    [clusterIP, [slice(false), slice(true)], undefined],
    [service({ type: "ExternalName" }), [], undefined],
  ];
  for (const [found, slices, expected] of cases) {
    assert.deepEqual(checkService(reference, found, slices), expected);
  }
});
