import assert from "node:assert/strict";
import { test } from "node:test";
import { pods } from "#/api/core/v1.ts";
import { Client } from "#/client/client.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { fencedTransport, WriteGate } from "./fenced-connect.ts";

const pod = {
  metadata: { name: "a", namespace: "default" },
  spec: { containers: [{ name: "a", image: "a" }] },
};
const lost = (): void => {
  throw new Error("leaderelection lost");
};

test("fencedTransport() sends nothing once its fence is closed, by its signal or by its check", async () => {
  await using api = await startApiServer();
  const { transport } = api.client();
  const term = new AbortController();
  let check = (): void => undefined;
  const fenced = new Client(
    fencedTransport(transport, { signal: term.signal, check: () => check() }),
  );
  await fenced.create(pods, pod);
  check = lost;
  await assert.rejects(fenced.delete(pods, pod.metadata), /leaderelection lost/);
  check = () => undefined;
  term.abort(new Error("the end"));
  await assert.rejects(fenced.delete(pods, pod.metadata), /the end/);
  await api.client().get(pods, pod.metadata);
});

test("WriteGate lets reads through always, and writes only in a term", async () => {
  await using api = await startApiServer();
  const gate = new WriteGate();
  const client = new Client(gate.guard(api.client().transport));
  await client.list(pods);
  await assert.rejects(client.create(pods, pod), /only the leader writes/);
  gate.open({ signal: new AbortController().signal, check: () => undefined });
  await client.create(pods, pod);
  gate.open({ signal: new AbortController().signal, check: lost });
  await assert.rejects(client.delete(pods, pod.metadata), /leaderelection lost/);
  await client.get(pods, pod.metadata);
});
