import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "#/api/apiextensions/v1.ts";
import { services } from "#/api/core/v1.ts";
import { ingresses, serviceCIDRs } from "#/api/networking/v1.ts";
import type { Client } from "#/client/client.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { firstRoute } from "./first-route.ts";

const own = "default/gateway";
const service = (name: string, type: "ClusterIP" | "LoadBalancer") => ({
  metadata: { name, namespace: "default" },
  spec: { type, ports: [{ port: 80 }] },
});
const gatewayClass: CustomResourceDefinition = {
  metadata: {
    name: "gatewayclasses.gateway.networking.k8s.io",
    annotations: { "api-approved.kubernetes.io": "unapproved, of a test" },
  },
  spec: {
    group: "gateway.networking.k8s.io",
    scope: "Cluster",
    names: { plural: "gatewayclasses", kind: "GatewayClass" },
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
    ],
  },
};
const first: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  "an Ingress": (client) =>
    client.create(ingresses, {
      metadata: { name: "shop", namespace: "default" },
      spec: { defaultBackend: { service: { name: "shop", port: { number: 80 } } } },
    }),
  "a load balancer": (client) => client.create(services, service("shop", "LoadBalancer")),
  "the Gateway API": (client) => client.create(customResourceDefinitions, gatewayClass),
};
for (const [what, create] of Object.entries(first)) {
  test(`firstRoute() resolves when there is ${what}`, async () => {
    await using api = await startApiServer();
    const client = api.client();
    const { signal } = new AbortController();
    await client.create(serviceCIDRs, {
      metadata: { name: "all" },
      spec: { cidrs: ["10.0.0.0/24"] },
    });
    await client.create(services, service("gateway", "LoadBalancer"));
    await client.create(services, service("other", "ClusterIP"));
    let isFound = false;
    const waiting = firstRoute(client, own, signal).then(() => {
      isFound = true;
    });
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    assert.equal(isFound, false);
    await create(client);
    await waiting;
    await firstRoute(client, own, signal);
  });
}

test("firstRoute() rejects when its signal aborts", async () => {
  await using api = await startApiServer();
  const stop = new AbortController();
  const waiting = assert.rejects(firstRoute(api.client(), own, stop.signal), {
    message: "stopped",
  });
  stop.abort(new Error("stopped"));
  await waiting;
});
