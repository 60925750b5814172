import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps } from "#/api/core/v1.ts";
import { startTlsServer } from "#/testing/start-tls-server.ts";
import { TcpProxy } from "#/testing/tcp-proxy.ts";
import { until } from "#/testing/until.ts";
import { Client } from "../client.ts";
import { openCredentials } from "../transport/credentials.ts";
import { HttpsTransport } from "../transport/https-transport.ts";
import { Informers } from "./informers.ts";

/** Faults of the informer's connection; each resolves when it has happened. */
const outages: readonly ((proxy: TcpProxy) => Promise<unknown>)[] = [
  async (proxy) => {
    const { accepted } = proxy;
    proxy.breakOnce();
    await until("it connects again", () => proxy.accepted > accepted);
  },
  async (proxy) => {
    const { refused } = proxy;
    proxy.cut();
    await until("it tries in vain", () => proxy.refused > refused);
    proxy.mend();
  },
];

test("an informer follows its server through broken connections and outages", async () => {
  await using server = await startTlsServer();
  await using proxy = await TcpProxy.start(new URL(server.url));
  const credentials = () =>
    openCredentials({ caFile: server.authority.caFile, token: "admintoken" });
  await using direct = new HttpsTransport({ server: server.url, credentials: credentials() });
  const url = `https://127.0.0.1:${proxy.port}`;
  await using proxied = new HttpsTransport({ server: url, credentials: credentials() });
  const client = new Client(direct);
  const stop = new AbortController();
  const backoff = () => 5;
  const informers = new Informers(new Client(proxied), stop.signal, { backoff });
  const informer = informers.informer(configMaps, { namespace: "default" });
  let count = 0;
  informer.subscribe({ added: () => count++, deleted: () => count-- });
  const write = async (round: number): Promise<void> => {
    const ref = (name: string) => ({ name, namespace: "default" });
    await client.create(configMaps, { metadata: ref(`a${round}`) });
    await client.create(configMaps, { metadata: ref(`b${round}`), data: { round: "0" } });
    const data = { round: String(round) };
    await client.patch(configMaps, ref(`b${round}`), { data }, { type: "merge" });
    if (round > 0) await client.delete(configMaps, ref(`a${round - 1}`));
  };
  for (let round = 0; round < 6; round++) {
    await write(round);
    await outages[round % outages.length]?.(proxy);
  }
  const expected = (await client.list(configMaps, { namespace: "default" })).items;
  const versions = (items: readonly (typeof expected)[number][]) =>
    items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
  const seen = (): string[] => versions(informer.store.list());
  await until(
    "the store is as the server's",
    () => informer.hasSynced && seen().join() === versions(expected).join(),
  );
  assert.equal(count, expected.length);
  stop.abort();
});
