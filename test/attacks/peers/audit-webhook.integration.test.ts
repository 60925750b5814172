import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { after, before, describe, test } from "node:test";
import { until } from "#/testing/until.ts";
import { ApiServerProcess } from "../../faults/api-server-process.ts";
import { SurroundingsBuilder } from "../../parity/surroundings.ts";
import {
  answer,
  endless,
  type Misbehave,
  measureCpu,
  readJson,
  redirect,
  silent,
  unfinished,
} from "./hostile-peer.ts";

const maps = "/api/v1/namespaces/default/configmaps";
/** Requests for each attack: more events than the buffer has room for. */
const rounds = 40;
const bufferSize = 50;
/** Size of each recorded object (characters). */
const bodyChars = 256 * 1024;
/** Limit of the growth of resident memory by one attack (MiB): the buffer, of 64 MiB, and garbage. */
const maxGrownMiB = 300;
/** Limit of the CPU for one attack (ms), of all threads, on a slow machine. */
const maxCpuMs = 15_000;

const attacks: Readonly<Record<string, Misbehave>> = {
  "never answers": silent,
  "answers without an end": endless('{"kind": "'),
  "does not finish its answer": unfinished("{"),
  "answers garbage": answer("<html>"),
  fails: answer("no", {}, 500),
  "is overloaded": answer("{}", { "retry-after": "99999999" }, 429),
  "redirects to itself": redirect("/again"),
};

/** A server whose audit webhook is this peer. */
async function startAudited(
  builder: SurroundingsBuilder,
  does: Misbehave | string,
  flags: readonly string[],
): Promise<ApiServerProcess> {
  const listener: RequestListener = (request, response) => {
    // The server is killed while its events are on their way.
    for (const stream of [request, response, request.socket]) stream.on("error", () => undefined);
    if (typeof does !== "string") void does(request, response);
  };
  const url = typeof does === "string" ? does : await builder.serve(listener);
  const cluster = { server: `${url}/`, "certificate-authority": builder.authority.file };
  const kubeconfig = await builder.file("audit.kubeconfig", {
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c" } }],
    clusters: [{ name: "c", cluster }],
  });
  const policy = await builder.file("policy.yaml", {
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    rules: [{ level: "RequestResponse", resources: [{ resources: ["configmaps"] }] }],
  });
  return ApiServerProcess.start([
    `--audit-policy-file=${policy}`,
    `--audit-webhook-config-file=${kubeconfig}`,
    "--audit-webhook-initial-backoff=10ms",
    ...flags,
  ]);
}

const metric = async (server: ApiServerProcess, name: string): Promise<number> => {
  const { text } = await server.send("GET", "/metrics");
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
};

describe("hostile audit webhook", () => {
  let builder: SurroundingsBuilder;
  before(async () => {
    builder = await SurroundingsBuilder.open();
  });
  after(() => builder[Symbol.asyncDispose]());

  test("a harmless one gets the events", async () => {
    const ids = new Set<string>();
    await using server = await startAudited(
      builder,
      async (request, response) => {
        for (const { auditID } of (await readJson(request)).items) ids.add(auditID);
        response.end("{}");
      },
      ["--audit-webhook-batch-max-wait=10ms"],
    );
    const { status, text } = await server.send("POST", maps, { metadata: { name: "a" } });
    assert.equal(status, 201, text);
    await until("the event has arrived", () => ids.size > 0);
  });

  const batch = [
    `--audit-webhook-batch-buffer-size=${bufferSize}`,
    "--audit-webhook-batch-max-size=10",
    "--audit-webhook-batch-max-wait=10ms",
  ];
  for (const [name, does] of Object.entries({ ...attacks, "is down": "https://127.0.0.1:1" })) {
    test(`one that ${name} delays no request, and its events take no more room than the buffer`, async () => {
      await using server = await startAudited(builder, does, batch);
      const residentMiB = await server.residentMiB();
      const { cpuMs } = await measureCpu(server, async () => {
        for (let round = 0; round < rounds; round++) {
          const data = { a: "x".repeat(bodyChars) };
          const object = { metadata: { name: `m-${round}` }, data };
          const { status, text } = await server.send("POST", maps, object);
          assert.equal(status, 201, text.slice(0, 500));
        }
      });
      const grownMiB = (await server.residentMiB()) - residentMiB;
      assert.ok(grownMiB < maxGrownMiB, `${grownMiB} MiB more`);
      assert.ok(cpuMs < maxCpuMs, `${cpuMs} ms of CPU`);
      if (name === "never answers") {
        const dropped = await metric(server, 'apiserver_audit_error_total{plugin="buffered"}');
        assert.ok(dropped > 0, "events that have no room are counted");
      }
    });
  }

  for (const [mode, status] of [
    ["blocking", 201],
    ["blocking-strict", 500],
  ] as const) {
    test(`in mode ${mode}, a webhook that refuses its events makes requests end with ${status}`, async () => {
      const refuse = answer("no", {}, 400);
      await using server = await startAudited(builder, refuse, [`--audit-webhook-mode=${mode}`]);
      const created = await server.send("POST", maps, { metadata: { name: "a" } });
      assert.equal(created.status, status, created.text);
      // The policy does not record other requests, which therefore go on.
      assert.equal((await server.send("GET", "/api/v1/namespaces/default")).status, 200);
    });
  }

  test("in mode blocking, a webhook that never answers holds up recorded requests only", async () => {
    let calls = 0;
    const count: Misbehave = () => calls++;
    await using server = await startAudited(builder, count, ["--audit-webhook-mode=blocking"]);
    const leaving = new AbortController();
    const held = server.send("POST", maps, { metadata: { name: "a" } }, leaving.signal);
    const left = assert.rejects(held);
    await until("the webhook is called", () => calls > 0);
    assert.equal((await server.send("GET", "/api/v1/namespaces/default")).status, 200);
    leaving.abort();
    await left;
  });
});
