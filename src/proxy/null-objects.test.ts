import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { dropNulls } from "#/machinery/objects/drop-nulls.ts";
import { nullObjects } from "#/testing/null-objects.ts";
import { ServiceTracker } from "./base/service-tracker.ts";

const metadata = {
  name: "web",
  namespace: "default",
  labels: { "kubernetes.io/service-name": "web" },
};

test("ServiceTracker reads null as absent in every list, map and time", () => {
  const plain: Service = {
    metadata,
    spec: { clusterIP: "10.96.0.1", clusterIPs: ["10.96.0.1"], ports: [{ port: 80 }] },
  };
  let tried = 0;
  for (const { kind, path, object } of nullObjects(plausible)) {
    if (kind !== "Service" && kind !== "EndpointSlice") continue;
    for (const family of ["IPv4", "IPv6"] as const) {
      const tracker = new ServiceTracker(family, "n1");
      const seen = dropNulls(object);
      assert.doesNotThrow(() => {
        tracker.setService(
          "default/web",
          kind === "Service" ? (seen as unknown as Service) : plain,
        );
        if (kind === "EndpointSlice") tracker.setSlice(seen as unknown as EndpointSlice, false);
        for (const [, routed] of tracker.take(true).services)
          routed.map(({ routing }) => routing.cluster);
      }, `${kind} ${path} ${family}`);
      tried++;
    }
  }
  assert.ok(tried > 20);
});

/** Sets valid names and addresses, so that other fields are reached. */
function plausible(object: Record<string, unknown>): void {
  object["metadata"] = metadata;
  if ("addressType" in object) object["addressType"] = "IPv4";
  const spec = object["spec"] as Record<string, unknown> | undefined;
  if (spec && "clusterIP" in spec)
    Object.assign(spec, { type: "LoadBalancer", clusterIP: "10.96.0.1" });
}
