import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "#/testing/start-api-server.ts";
import { appsResources } from "../resources/apps/index.ts";
import { autoscalingResources } from "../resources/autoscaling/index.ts";
import { coreResources, defaultCoreOptions } from "../resources/core/index.ts";

for (const path of ["/", "/index.html"]) {
  test(`addDiscovery() lists all paths at ${path}`, async () => {
    const resources = [
      ...coreResources(defaultCoreOptions),
      ...appsResources,
      ...autoscalingResources,
    ];
    await using api = await startApiServer({ resources });
    const { status, text } = await api.call("GET", path);
    const paths = [
      ...["/api", "/api/v1", "/apis", "/apis/", "/apis/apps", "/apis/apps/v1"],
      ...["/apis/autoscaling", "/apis/autoscaling/v1", "/apis/autoscaling/v2"],
      ...["/apis/events.k8s.io", "/apis/events.k8s.io/v1"],
      ...["/openapi/v2", "/openapi/v3", "/openapi/v3/"],
    ];
    assert.deepEqual([status, text], [200, JSON.stringify({ paths }, null, 2)]);
  });
}
