import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { namespaces, services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import { serviceCIDRs } from "#/api/networking/v1.ts";
import { DnsServer } from "#/dns/server.ts";
import { makeQuery } from "#/dns/wire/make-query.ts";
import { decodeQuery } from "#/dns/wire/query.ts";
import { readAnswers } from "#/dns/wire/read-answers.ts";
import { rcodes, recordTypes } from "#/dns/wire/record.ts";
import { encodeReply, errorAnswer } from "#/dns/wire/reply.ts";
import { systemClock } from "#/std/time/clock.ts";
import { exchange } from "#/testing/ask-dns.ts";
import { freePort } from "#/testing/free-port.ts";
import { startTlsServer } from "#/testing/start-tls-server.ts";
import { until } from "#/testing/until.ts";
import { Program, writeKubeconfig } from "./program.ts";

/** Services and questions of a series. */
const count = 15;

/** A server for other names, which answers those that begin with "lost" never. */
async function otherServer(): Promise<DnsServer> {
  return DnsServer.open("127.0.0.1", await freePort(), async (message) => {
    const query = decodeQuery(message);
    const { name } = query.question;
    if (name.startsWith("lost")) return undefined;
    const answers = [{ name, ttl: 0, type: "A", address: "192.0.2.1" } as const];
    return encodeReply(message, query, { ...errorAnswer(rcodes.NoError), answers }, 65_535);
  });
}

test("cluster-dns keeps nothing of Services and questions that are gone", async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "leaks-dns-"));
  stack.defer(() => rm(folder, { recursive: true }));
  const server = stack.use(await startTlsServer());
  const others = stack.use(await otherServer());
  const client = server.secured.api.client();
  const cidrs = { cidrs: ["10.96.0.0/16"] };
  await client.create(serviceCIDRs, { metadata: { name: "kubernetes" }, spec: cidrs });
  const kubeconfig = join(folder, "kubeconfig");
  await writeKubeconfig(kubeconfig, server);
  const port = await freePort();
  const dns = stack.use(
    new Program("cluster-dns", [
      `--kubeconfig=${kubeconfig}`,
      "--bind-address=127.0.0.1",
      `--port=${port}`,
      `--upstream=127.0.0.1:${others.port}`,
      "--status-bind-address=",
    ]),
  );
  const ask = (name: string, timeoutMs = 5_000) =>
    exchange({ host: "127.0.0.1", port }, makeQuery(name, recordTypes.A), {
      clock: systemClock,
      timeoutMs,
    });
  const found = async (name: string) =>
    readAnswers(await ask(name, 1_000).catch(() => ask(name))).length > 0;
  const series = async (prefix: string): Promise<void> => {
    const namespace = `${prefix}-space`;
    await client.create(namespaces, { metadata: { name: namespace }, spec: {} });
    const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}x`);
    for (const [index, name] of names.entries()) {
      const clusterIP = `10.96.7.${index + 1}`;
      const spec = { clusterIP, clusterIPs: [clusterIP], ports: [{ port: 80 }] };
      await client.create(services, { metadata: { name, namespace }, spec });
      await client.create(endpointSlices, {
        metadata: { name, namespace, labels: { "kubernetes.io/service-name": name } },
        addressType: "IPv4",
        endpoints: [{ addresses: [`10.244.1.${index + 1}`], hostname: name }],
        ports: [{ port: 8080 }],
      });
    }
    for (const name of names) {
      await until(`${name} is known`, () => found(`${name}.${namespace}.svc.cluster.local`));
      await ask(`none-${name}.${namespace}.svc.cluster.local`);
      assert.equal(await found(`${name}.test`), true);
      // The client leaves before the other server has answered.
      await ask(`lost-${name}.test`, 20).catch(() => undefined);
      const half = connect(port, "127.0.0.1").on("error", () => undefined);
      half.end(Buffer.from([0, 99, 1]));
    }
    for (const name of names) {
      await client.delete(services, { name, namespace });
      await client.delete(endpointSlices, { name, namespace });
    }
    await client.delete(namespaces, { name: namespace });
    const last = `${names.at(-1)}.${namespace}.svc.cluster.local`;
    await until(`${last} is gone`, async () => readAnswers(await ask(last)).length === 0);
  };
  const started = until("the server answers", () => found("first.test").catch(() => false));
  await started.catch((error: Error) => {
    throw new Error(`${error.message}\n${dns.output.slice(-2000)}`);
  });
  await client.create(namespaces, { metadata: { name: "living" }, spec: {} });
  const files = dns.openFiles();
  await series("warm");
  await series("leak");
  assert.ok((await dns.findTexts(/living/g)).size > 0, "the search finds what is there");
  await dns.untilForgotten(/leak-\d+x|10\.96\.7\.\d+|10\.244\.1\.\d+/g);
  await until("sockets are closed", () => dns.openFiles() <= files + 1);
});
