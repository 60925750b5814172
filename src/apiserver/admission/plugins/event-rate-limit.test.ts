import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";

async function startLimited(limits: object[], clock: FakeClock) {
  const directory = await mkdtemp(join(tmpdir(), "events-"));
  const file = join(directory, "config.json");
  const plugins = [{ name: "EventRateLimit", configuration: { limits } }];
  const configuration = {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AdmissionConfiguration",
    plugins,
  };
  await writeFile(file, JSON.stringify(configuration));
  const flags = [
    "--enable-admission-plugins=EventRateLimit",
    `--admission-control-config-file=${file}`,
  ];
  try {
    const api = await startAdmittingServer(flags, { clock });
    await api.call("POST", "/api/v1/namespaces", { metadata: { name: "n" } });
    return api;
  } finally {
    await rm(directory, { recursive: true });
  }
}

const event = (name: string) => ({
  metadata: { name },
  involvedObject: { namespace: "n" },
  source: { component: "c" },
});

test("EventRateLimit admits a burst, then events at the configured rate", async () => {
  const clock = new FakeClock();
  const limit = { type: "Namespace", qps: 1, burst: 2 };
  await using api = await startLimited([limit], clock);
  const post = (name: string) => api.call("POST", "/api/v1/namespaces/n/events", event(name));
  assert.equal((await post("a")).status, 201);
  assert.equal((await post("b")).status, 201);
  const refused = await post("c");
  assert.equal(refused.status, 429);
  assert.equal(
    refused.json.message,
    "Too many requests: limit reached on type Namespace for key n",
  );
  await clock.advance(1000);
  assert.equal((await post("c")).status, 201);
});

test("EventRateLimit refuses invalid limits", async () => {
  await assert.rejects(
    startLimited([{ type: "Moon", qps: 0, burst: 1 }], new FakeClock()),
    /couldn't init admission plugin "EventRateLimit": \[limits\[0\].type: Unsupported value: "Moon": .*, limits\[0\].qps: Invalid value: 0: must be positive\]/,
  );
});
