import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import type { RequestListener } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { until } from "#/testing/until.ts";
import { ApiServerProcess } from "../../faults/api-server-process.ts";
import { SurroundingsBuilder } from "../../parity/surroundings.ts";
import { answer, endless, type Misbehave, readJson, silent, unfinished } from "./hostile-peer.ts";

const maps = "/api/v1/namespaces/default/configmaps";
/** Requests for each attack: more events than the buffer has room for. */
const rounds = 40;
const bufferSize = 20;
/** Size of each recorded object (characters). */
const bodyChars = 256 * 1024;
/**
 * Limit of the growth of live memory by all attacks of one server (MiB): the buffer, and recently used objects of two
 * generations, 64 MiB of JSON each, with their text.
 */
const maxGrownMiB = 320;

/** What the webhook does in batch mode; it changes while the server runs. */
const attacks: Readonly<Record<string, Misbehave>> = {
  "never answers": silent,
  "answers without an end": endless('{"kind": "'),
  "does not finish its answer": unfinished("{"),
  "answers garbage": answer("<html>"),
  "answers a huge text": answer("x".repeat(8 * 1024 * 1024)),
  "resets its connections": (request) => request.socket.destroy(),
  "is slow to read": (request) => request.pause(),
  fails: answer("no", {}, 500),
  "is overloaded": answer("{}", { "retry-after": "99999999" }, 429),
};

/** The webhook of one server: it does what the current attack does with each call. */
class Webhook {
  does: Misbehave = silent;
  calls = 0;
  readonly ids = new Set<string>();

  readonly listener: RequestListener = (request, response) => {
    // The server may end while its events are on their way.
    for (const stream of [request, response]) stream.on("error", () => undefined);
    this.calls++;
    void this.does(request, response);
  };

  /** Answers as it should. */
  readonly accept: Misbehave = async (request, response) => {
    for (const { auditID } of (await readJson(request)).items) this.ids.add(auditID);
    response.end("{}");
  };
}

async function startAudited(
  builder: SurroundingsBuilder,
  webhook: Webhook,
  flags: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<ApiServerProcess> {
  const server = `${await builder.serve(webhook.listener)}/`;
  const cluster = { server, "certificate-authority": builder.authority.file };
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
  const audit = [
    `--audit-policy-file=${policy}`,
    `--audit-webhook-config-file=${kubeconfig}`,
    "--audit-webhook-initial-backoff=10ms",
  ];
  return ApiServerProcess.start([...audit, ...flags], env);
}

/** Live memory of a server with `live-memory.ts` (MiB). */
async function liveMiB(socketPath: string): Promise<number> {
  const parts = await connect(socketPath).setEncoding("utf8").toArray();
  return Number(parts.join(""));
}

const create = (server: ApiServerProcess, name: string) =>
  server.send("POST", maps, { metadata: { name } });

/** A request with a large event. Nothing is stored: it would only take the disk's time. */
const record = (server: ApiServerProcess, name: string) =>
  server.send("POST", `${maps}?dryRun=All`, {
    metadata: { name },
    data: { a: "x".repeat(bodyChars) },
  });

/** A request that the policy does not record. */
const isServed = async (server: ApiServerProcess): Promise<boolean> =>
  (await server.send("GET", "/api/v1/namespaces/default")).status === 200;

describe("hostile audit webhook", () => {
  let builder: SurroundingsBuilder;
  before(async () => {
    builder = await SurroundingsBuilder.open();
  });
  after(() => builder[Symbol.asyncDispose]());

  describe("in mode batch", () => {
    const webhook = new Webhook();
    const folder = mkdtempSync(join(tmpdir(), "audit-"));
    const memorySocket = join(folder, "memory");
    let server: ApiServerProcess;
    let beforeMiB = 0;
    before(async () => {
      const flags = [
        `--audit-webhook-batch-buffer-size=${bufferSize}`,
        "--audit-webhook-batch-max-size=10",
        "--audit-webhook-batch-max-wait=10ms",
      ];
      const NODE_OPTIONS = `--import=${join(import.meta.dirname, "live-memory.ts")}`;
      const env = { ...process.env, NODE_OPTIONS, LIVE_MEMORY_SOCKET: memorySocket };
      server = await startAudited(builder, webhook, flags, env);
      beforeMiB = await liveMiB(memorySocket);
    });
    after(async () => {
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    });

    test("a harmless one gets the events", async () => {
      webhook.does = webhook.accept;
      assert.equal((await create(server, "harmless")).status, 201);
      await until("the event has arrived", () => webhook.ids.size > 0);
    });

    for (const [index, [name, does]] of Object.entries(attacks).entries()) {
      test(`one that ${name} delays no request, and takes no more room than its buffer`, async () => {
        webhook.does = does;
        for (let round = 0; round < rounds; round++) {
          const { status, text } = await record(server, `m-${index}-${round}`);
          assert.equal(status, 201, text.slice(0, 500));
        }
        assert.ok(await isServed(server));
        const grownMiB = (await liveMiB(memorySocket)) - beforeMiB;
        assert.ok(grownMiB < maxGrownMiB, `${grownMiB} MiB more`);
      });
    }

    test("events that have no room were counted", async () => {
      const { text } = await server.send("GET", "/metrics");
      const dropped = /apiserver_audit_error_total\{plugin="buffered"\} (\d+)/.exec(text);
      assert.ok(Number(dropped?.[1]) > 0, "no event was dropped");
    });
  });

  for (const [mode, refused] of [
    ["blocking", 201],
    ["blocking-strict", 500],
  ] as const) {
    test(`in mode ${mode}, recorded requests end with ${refused} if the webhook refuses, and wait if it is silent; others are served`, async () => {
      const webhook = new Webhook();
      await using server = await startAudited(builder, webhook, [`--audit-webhook-mode=${mode}`]);
      webhook.does = webhook.accept;
      const accepted = await create(server, "accepted");
      assert.equal(accepted.status, 201, accepted.text);
      assert.ok(webhook.ids.size > 0);
      webhook.does = answer("no", {}, 400);
      assert.equal((await create(server, "refused")).status, refused);
      assert.ok(await isServed(server));

      webhook.does = silent;
      const calls = webhook.calls;
      const leaving = new AbortController();
      const body = { metadata: { name: "held" } };
      const left = assert.rejects(server.send("POST", maps, body, leaving.signal));
      await until("the webhook is called", () => webhook.calls > calls);
      assert.ok(await isServed(server));
      leaving.abort();
      await left;
      assert.ok(await isServed(server));
    });
  }
});
