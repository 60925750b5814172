/** Quotas of resources that are removed, or can't be listed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { customResourceDefinitions } from "#/api/apiextensions/v1.ts";
import { configMaps, namespaces, resourceQuotas } from "#/api/core/v1.ts";
import { Client } from "#/client/client.ts";
import { runControllers } from "#/controller/run-controllers.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { interceptTransport } from "#/testing/intercept-transport.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { controllerFlags } from "../base/controller-flags.ts";
import { genericFlags } from "../base/generic-flags.ts";
import { resourceQuotaController } from "./resource-quota.ts";

const namespace = "n";
const path = "/apis/example.com/v1/things";
const limit = "count/things.example.com";

async function started(isListable: boolean) {
  const api = await startApiServer();
  const client = api.client();
  const clock = new FakeClock();
  const reads: string[] = [];
  const transport = interceptTransport(api.transport(), {
    before(request) {
      if (request.path !== path) return;
      reads.push(request.path);
      if (!isListable) throw new Error("conversion webhook failed");
    },
  });
  await client.create(namespaces, { metadata: { name: namespace }, spec: {} });
  const version = {
    ...{ name: "v1", served: true, storage: true },
    schema: { openAPIV3Schema: { type: "object" } },
  };
  await client.create(customResourceDefinitions, {
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "things", kind: "Thing" },
      scope: "Namespaced",
      versions: [version],
    },
  });
  await client.create(configMaps, { metadata: { name: "c", namespace } });
  await until("the resource", () =>
    client.request({ method: "GET", path }).then(
      () => true,
      (error: unknown) => !isNotFound(error),
    ),
  );
  const spec = { hard: { [limit]: "9", "count/configmaps": "9" } };
  await client.create(resourceQuotas, { metadata: { name: "q", namespace }, spec });
  const stop = new AbortController();
  const flags = parseFlags({ ...controllerFlags, ...genericFlags }, []).values;
  const running = runControllers(
    [resourceQuotaController],
    { client: new Client(transport, { clock }), options: { flags, enabled: () => true }, clock },
    stop.signal,
  );
  return {
    client,
    clock,
    reads,
    used: async () => (await client.get(resourceQuotas, { name: "q", namespace })).status?.used,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await api[Symbol.asyncDispose]();
    },
  };
}

test("resourcequota-controller stops to watch a resource that is removed", async () => {
  await using run = await started(true);
  await until("a count", async () => (await run.used())?.[limit] === "0");
  await run.client.delete(customResourceDefinitions, { name: "things.example.com" });
  let quiet = 0;
  await until("no more reads", async () => {
    const before = run.reads.length;
    await run.clock.advance(60_000);
    quiet = run.reads.length === before ? quiet + 1 : 0;
    return quiet >= 20;
  });
});

test("resourcequota-controller counts other resources while one can't be listed", async () => {
  await using run = await started(false);
  await until("a count", async () => {
    await run.clock.advance(1000);
    return (await run.used())?.["count/configmaps"] === "1";
  });
  assert.deepEqual(await run.used(), { "count/configmaps": "1" });
});
