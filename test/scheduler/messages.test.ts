import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { InProcessTransport } from "#/apiserver/http/in-process-transport.ts";
import { Client } from "#/client/client.ts";
import { start } from "#/scheduler/run.ts";
import { admin, startApiServer } from "#/testing/start-api-server.ts";
import { cases } from "./cases.ts";
import { type Observed, observe, populate } from "./observe.ts";

const file = new URL("recorded/kube-scheduler.json", import.meta.url);
const recorded = JSON.parse(readFileSync(file, "utf8")) as Record<string, Observed>;

for (const one of cases) {
  test(`the scheduler reports what kube-scheduler reports: ${one.name}`, async () => {
    await using api = await startApiServer();
    const connect = () => new InProcessTransport(api.handler, { user: admin });
    const client = new Client(connect());
    await populate(client, one);
    const stop = new AbortController();
    const running = start(["--leader-elect=false", "--secure-port=0"], stop.signal, { connect });
    const seen = await observe(client, 0.5);
    stop.abort();
    await running;
    // As in JSON: without undefined fields.
    assert.deepEqual(JSON.parse(JSON.stringify(seen)), recorded[one.name]);
  });
}
