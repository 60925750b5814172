import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { configMaps, events, namespaces, services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import { serviceCIDRs } from "#/api/networking/v1.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { exchange } from "#/testing/ask-dns.ts";
import { freePort } from "#/testing/free-port.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { dnsFlags } from "./flags.ts";
import { withLength } from "./forward/with-length.ts";
import { planSlices } from "./plan-slices.ts";
import { publishDns, withdrawDns } from "./publisher.ts";
import { serveDns } from "./serve-dns.ts";
import { DnsServer } from "./server.ts";
import { serviceObject } from "./service-object.ts";
import { makeQuery } from "./wire/make-query.ts";
import { decodeQuery } from "./wire/query.ts";
import { readAnswers } from "./wire/read-answers.ts";
import { type DnsAnswer, rcodes, recordTypes } from "./wire/record.ts";
import { encodeReply, errorAnswer } from "./wire/reply.ts";

const log = logger("dns-test");
const corefileConfigMap = "kube-system/coredns";

/** Runs until it is disposed of. */
function running(run: (signal: AbortSignal) => Promise<void>): AsyncDisposable {
  const stop = new AbortController();
  const ended = run(stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

/** An upstream server that knows one address, and records the questions. */
async function upstreamServer(asked: string[]): Promise<DnsServer> {
  // A port that is free for both UDP and TCP.
  return await DnsServer.open("127.0.0.1", await freePort(), async (message) => {
    const query = decodeQuery(message);
    const { name } = query.question;
    asked.push(name);
    const many = name.startsWith("many") ? 100 : 1;
    const answers = Array.from({ length: many }, (_, index) => {
      return { name, ttl: 60, type: "A", address: `192.0.2.${index}` } as const;
    });
    const answer: DnsAnswer = { ...errorAnswer(rcodes.NoError), answers };
    return encodeReply(message, query, answer, 65_535);
  });
}

test("cluster-dns answers for the cluster, forwards and caches the rest", async (t) => {
  await using api = await startApiServer();
  const client = api.client();
  const asked: string[] = [];
  await using upstream = await upstreamServer(asked);
  const port = await freePort();
  const flags = parseFlags(dnsFlags, [
    "--bind-address=127.0.0.1",
    `--port=${port}`,
    `--upstream=127.0.0.1:${upstream.port}`,
    "--status-bind-address=",
  ]).values;
  const namespace = "default";
  await client
    .create(namespaces, { metadata: { name: namespace }, spec: {} })
    .catch(() => undefined);
  await using _running = running((signal) =>
    serveDns({ flags, nodeName: "n", client, clock: systemClock, log }, signal),
  );
  const self = { host: "127.0.0.1", port };
  const ask = async (name: string, type: keyof typeof recordTypes = "A") => {
    const query = makeQuery(name, recordTypes[type]);
    const reply = await exchange(self, query, { clock: systemClock, timeoutMs: 3000 });
    const found = readAnswers(reply).map((record) =>
      record.type === "CNAME" ? record.target : "address" in record ? record.address : "",
    );
    return { rcode: reply.readUInt16BE(2) & 15, found };
  };
  /** Repeats the query until the answer is as expected: objects reach the server a little later. */
  const untilAnswer = (name: string, expected: readonly string[]): Promise<boolean> =>
    until(`${name} is ${expected}`, async () => {
      const { found } = await ask(name).catch(() => ({ found: undefined }));
      return JSON.stringify(found) === JSON.stringify(expected);
    });

  await t.test("Services are resolved while they exist", async () => {
    const spec = {
      clusterIP: "None",
      ports: [{ name: "http", port: 80, protocol: "TCP" as const }],
    };
    await client.create(services, { metadata: { name: "web", namespace }, spec });
    await client.create(endpointSlices, {
      metadata: { name: "web", namespace, labels: { "kubernetes.io/service-name": "web" } },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.244.0.7"], conditions: { ready: true } }],
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    });
    await untilAnswer("web.default.svc.cluster.local", ["10.244.0.7"]);
    await client.delete(services, { name: "web", namespace });
    await untilAnswer("web.default.svc.cluster.local", []);
    assert.equal((await ask("web.default.svc.cluster.local")).rcode, rcodes.NXDomain);
  });

  await t.test("other names are forwarded once", async () => {
    assert.deepEqual((await ask("www.example")).found, ["192.0.2.0"]);
    assert.deepEqual((await ask("WWW.example")).found, ["192.0.2.0"]);
    assert.equal(asked.filter((name) => name.toLowerCase() === "www.example").length, 1);
  });

  await t.test("a reply too long for UDP is sent by TCP", async () => {
    assert.equal((await ask("many.example")).found.length, 100);
  });

  await t.test("an alias that leads elsewhere is followed", async () => {
    const spec = { type: "ExternalName", externalName: "there.example" } as const;
    await client.create(services, { metadata: { name: "out", namespace }, spec });
    await untilAnswer("out.default.svc.cluster.local", ["there.example", "192.0.2.0"]);
  });

  await t.test("several questions are answered on one connection", async () => {
    const socket = connect(port, "127.0.0.1");
    const message = withLength(makeQuery("www.example", recordTypes.A));
    socket.write(Buffer.concat([message, message]));
    let received = 0;
    for await (const chunk of socket) {
      received += (chunk as Buffer).length;
      if (received >= 2 * (message.length + 16)) break;
    }
  });
});

test("cluster-dns detects a forwarding loop, and stops forwarding", async () => {
  await using api = await startApiServer();
  const port = await freePort();
  // Another address of the same server, which it can't know.
  const flags = parseFlags(dnsFlags, [
    "--bind-address=127.0.0.2",
    `--port=${port}`,
    `--upstream=127.0.0.3:${port}`,
    "--status-bind-address=",
  ]).values;
  await using relay = await DnsServer.open("127.0.0.3", port, async (message) => {
    const target = { host: "127.0.0.2", port };
    const reply = await exchange(target, message, { clock: systemClock, timeoutMs: 1000 });
    message.copy(reply, 0, 0, 2);
    return reply;
  });
  const options = { flags, nodeName: "n", client: api.client(), clock: systemClock, log };
  await using _running = running((signal) => serveDns(options, signal));
  await until("the answer is Refused", async () => {
    const query = makeQuery("www.example", recordTypes.A);
    const answer = exchange({ host: "127.0.0.2", port }, query, {
      clock: systemClock,
      timeoutMs: 500,
    });
    const reply = await answer.catch(() => undefined);
    return reply !== undefined && (reply.readUInt16BE(2) & 15) === rcodes.Refused;
  });
  assert.equal(relay.port, port);
});

test("cluster-dns follows the Corefile of a ConfigMap", async (t) => {
  await using api = await startApiServer();
  const client = api.client();
  const cidrs = ["10.96.0.0/16"];
  await client.create(serviceCIDRs, { metadata: { name: "kubernetes" }, spec: { cidrs } });
  await client
    .create(namespaces, { metadata: { name: "kube-system" }, spec: {} })
    .catch(() => undefined);
  const asked: string[] = [];
  await using upstream = await upstreamServer(asked);
  const port = await freePort();
  const flags = parseFlags(dnsFlags, [
    ...["--bind-address=127.0.0.1", `--port=${port}`, "--status-bind-address=", "--resolv-conf="],
  ]).values;
  const publishing = {
    client,
    clock: systemClock,
    log,
    clusterIp: "10.96.0.10",
    port,
    corefileConfigMap,
  };
  await using _publisher = running((signal) => publishDns(publishing, signal));
  await using _server = running((signal) =>
    serveDns({ flags, nodeName: "n", client, clock: systemClock, log }, signal),
  );
  const untilFound = (name: string, expected: readonly string[]): Promise<boolean> =>
    until(`${name} is ${expected}`, async () => {
      const query = makeQuery(name, recordTypes.A);
      const self = { host: "127.0.0.1", port };
      const reply = await exchange(self, query, { clock: systemClock, timeoutMs: 1000 }).catch(
        () => undefined,
      );
      const found = reply && readAnswers(reply).map((one) => ("address" in one ? one.address : ""));
      return JSON.stringify(found) === JSON.stringify(expected);
    });
  const write = async (data: Record<string, string>): Promise<void> => {
    const metadata = { name: "coredns", namespace: "kube-system" };
    const found = await client.get(configMaps, metadata).catch(() => undefined);
    if (found) await client.update(configMaps, { ...found, data });
    else await client.create(configMaps, { metadata, data });
  };
  const untilEvent = (reason: string, message: RegExp): Promise<boolean> =>
    until(reason, async () => {
      const { items } = await client.list(events, { namespace: "kube-system" });
      return items.some((one) => one.reason === reason && message.test(one.message ?? ""));
    });

  await t.test("names are forwarded as it says", async () => {
    await write({ Corefile: `.:${port} {\n  forward . 127.0.0.1:${upstream.port}\n}` });
    await untilFound("www.example", ["192.0.2.0"]);
    await untilEvent("CorefileRead", /uses this configuration/);
  });
  await t.test("an unknown plugin is reported, and changes nothing", async () => {
    await write({ Corefile: `.:${port} {\n  template IN A\n}` });
    await untilEvent("InvalidCorefile", /Corefile:2: unknown plugin "template".* stays$/);
    await untilFound("another.example", ["192.0.2.0"]);
  });
  await t.test("another version replaces it at once", async () => {
    await write({
      Corefile: `.:${port} {\n  hosts /etc/coredns/NodeHosts\n}`,
      NodeHosts: "192.0.2.77 www.example\n",
    });
    await untilFound("www.example", ["192.0.2.77"]);
    await untilFound("another.example", []);
  });
  await t.test("without the ConfigMap the flags apply", async () => {
    await client.delete(configMaps, { namespace: "kube-system", name: "coredns" });
    await untilFound("www.example", []);
  });
});

test("withdrawDns() deletes the objects of publishDns(), and leaves those of another DNS server", async () => {
  await using api = await startApiServer();
  const client = api.client();
  const cidrs = ["10.96.0.0/16"];
  await client.create(serviceCIDRs, { metadata: { name: "kubernetes" }, spec: { cidrs } });
  await client
    .create(namespaces, { metadata: { name: "kube-system" }, spec: {} })
    .catch(() => undefined);
  const ref = { namespace: "kube-system", name: "kube-dns" };
  const service = serviceObject("10.96.0.10");
  const [slice] = planSlices(
    [{ metadata: { name: "n1" }, spec: { podCIDR: "10.244.1.0/24", podCIDRs: ["10.244.1.0/24"] } }],
    53,
  );
  assert.ok(slice);
  await client.create(services, service, { namespace: "kube-system" });
  await client.create(endpointSlices, slice, { namespace: "kube-system" });
  await withdrawDns(client);
  const { items } = await client.list(endpointSlices, { namespace: "kube-system" });
  assert.deepEqual(items, []);
  await assert.rejects(client.get(services, ref), /not found/);
  const others = { ...service, spec: { ...service.spec, selector: { "k8s-app": "kube-dns" } } };
  await client.create(services, others, { namespace: "kube-system" });
  await withdrawDns(client);
  assert.deepEqual((await client.get(services, ref)).spec?.selector, { "k8s-app": "kube-dns" });
});
