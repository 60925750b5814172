import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps } from "#/api/core/v1.ts";
import { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import { credentialsFor } from "#/client/kubeconfig/connection-options.ts";
import { HttpsTransport } from "#/client/transport/https-transport.ts";
import { startTlsServer } from "#/testing/start-tls-server.ts";
import { until } from "#/testing/until.ts";

for (const metadataOnly of [true, false]) {
  const what = metadataOnly ? "metadata only" : "whole objects";
  test(`informers over HTTPS receive ${what}, listed and watched`, async () => {
    await using server = await startTlsServer();
    const cluster = { "certificate-authority": server.authority.caFile };
    await using transport = new HttpsTransport({
      server: server.url,
      credentials: credentialsFor(cluster, { token: "admintoken" }),
    });
    const client = new Client(transport);
    const create = (name: string) =>
      client.create(configMaps, { metadata: { name, namespace: "default" }, data: { k: "v" } });
    await create("listed");
    const stop = new AbortController();
    const { store } = new Informers(client, stop.signal).informer(configMaps, { metadataOnly });
    await until("the list", () => store.get("default", "listed") !== undefined);
    await create("watched");
    await until("the event", () => store.get("default", "watched") !== undefined);
    for (const name of ["listed", "watched"])
      assert.deepEqual(store.get("default", name)?.data, metadataOnly ? undefined : { k: "v" });
    stop.abort();
  });
}
