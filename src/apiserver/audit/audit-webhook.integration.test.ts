import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Event } from "#/api/audit/v1.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { systemClock } from "#/std/time/clock.ts";
import { TestAuthority } from "#/testing/certificates.ts";
import { apiServerFlags } from "../flags/index.ts";
import { openAudit } from "./open-audit.ts";

const event = (auditID: string, size = 0): Event => ({
  kind: "Event",
  apiVersion: "audit.k8s.io/v1",
  level: "Request",
  auditID,
  stage: "ResponseComplete",
  requestURI: "/",
  verb: "get",
  user: {},
  ...(size > 0 ? { requestObject: { data: "x".repeat(size) } as never } : {}),
});

/** A receiver of events over TLS that fails a given number of times. */
async function startReceiver(failures: number) {
  await using starting = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "audit-webhook-"));
  starting.defer(() => rm(directory, { recursive: true, force: true }));
  const authority = await TestAuthority.create(directory);
  const { certFile, keyFile } = await authority.issue("receiver");
  const tls = { cert: await readFile(certFile), key: await readFile(keyFile) };
  const lists: { kind: string; items: Event[] }[] = [];
  let left = failures;
  const server = createServer(tls, async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (left-- > 0) {
      response.writeHead(500).end();
      return;
    }
    lists.push(JSON.parse(text));
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  starting.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const cluster = { server: `https://127.0.0.1:${port}/`, "certificate-authority": "ca.crt" };
  const kubeconfig = {
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c" } }],
    clusters: [{ name: "c", cluster }],
  };
  const configFile = join(directory, "kubeconfig");
  const policyFile = join(directory, "policy");
  await writeFile(configFile, JSON.stringify(kubeconfig));
  await writeFile(
    policyFile,
    "{kind: Policy, apiVersion: audit.k8s.io/v1, rules: [{level: Request}]}",
  );
  const stack = starting.move();
  return {
    lists,
    flags: [`--audit-policy-file=${policyFile}`, `--audit-webhook-config-file=${configFile}`],
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function deliver(
  args: readonly string[],
  events: readonly Event[],
  metrics = new Registry(),
) {
  const { values } = parseFlags(apiServerFlags, args);
  await using opened = await openAudit(values, systemClock, { metrics });
  for (const one of events) {
    for (const sink of opened?.sinks ?? []) await sink.record(one);
  }
}

const ids = (lists: readonly { items: readonly Event[] }[]) =>
  lists.map(({ items }) => items.map(({ auditID }) => auditID));

test("the audit webhook gets events in batches, the last ones when the server stops", async () => {
  await using receiver = await startReceiver(0);
  const args = [...receiver.flags, "--audit-webhook-batch-max-size=2"];
  await deliver(args, [event("a"), event("b"), event("c")]);
  assert.deepEqual(ids(receiver.lists), [["a", "b"], ["c"]]);
  assert.equal(receiver.lists[0]?.kind, "EventList");
});

test("the audit webhook is retried after temporary errors, and gets events in order", async () => {
  await using receiver = await startReceiver(2);
  const args = [...receiver.flags, "--audit-webhook-initial-backoff=1ms"];
  await deliver(args, [event("a"), event("b")]);
  assert.deepEqual(ids(receiver.lists), [["a", "b"]]);
});

test("the audit webhook gets large events without their objects, and one by one in blocking mode", async () => {
  await using receiver = await startReceiver(0);
  const args = [
    ...receiver.flags,
    "--audit-webhook-mode=blocking",
    "--audit-webhook-truncate-enabled",
    "--audit-webhook-truncate-max-event-size=1000",
  ];
  await deliver(args, [event("a"), event("b", 5000)]);
  assert.deepEqual(ids(receiver.lists), [["a"], ["b"]]);
  const [large] = receiver.lists[1]?.items ?? [];
  assert.equal(large?.requestObject, undefined);
  assert.deepEqual(large?.annotations, { "audit.k8s.io/truncated": "true" });
});

test("undelivered events of the audit webhook are counted", async () => {
  await using receiver = await startReceiver(100);
  const metrics = new Registry();
  const args = [...receiver.flags, "--audit-webhook-initial-backoff=1ms"];
  await deliver(args, [event("a"), event("b")], metrics);
  const lines = [...metrics.expose()].join("").split("\n");
  assert.ok(lines.includes('apiserver_audit_error_total{plugin="webhook"} 2'));
});
