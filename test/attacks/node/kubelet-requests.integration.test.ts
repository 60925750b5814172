import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { connect } from "node:tls";
import { type Pod, pods } from "#/api/core/v1.ts";
import { freePort } from "#/testing/free-port.ts";
import { containerdProblem } from "#/testing/start-containerd.ts";
import { AttackedNode } from "../peers/attacked-node.ts";

/**
 * Requests that a hostile client sends to a kubelet's own servers: each is answered, nothing outside of its Pods and
 * /var/log is read, and the kubelet goes on. Permissions are those of a client that may do everything.
 */

const skip = containerdProblem() ?? false;
const logs = "/containerLogs/default/web/main";
const switching = { connection: "Upgrade", upgrade: "SPDY/3.1" };

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What a path is answered with. */
const answers: readonly (readonly [path: string, status: number, sent?: Sent])[] = [
  ["//", 404],
  ["///", 404],
  ["//[", 404],
  ["/[", 404],
  ["*", 404],
  ["http://other:99999/", 404],
  ["/%", 400],
  ["/%ff", 400],
  ["/%00", 404],
  ["/containerLogs/%ff/web/main", 400],
  ["/containerLogs/default/web%2fmain", 404],
  ["/containerLogs/default/web/other", 404],
  ["/containerLogs/default/web/constructor", 404],
  ["/containerLogs/__proto__/web/main", 404],
  ["/containerLogs", 404],
  ["/containerLogs/default/../../../../etc/shadow", 404],
  [`${logs}?tailLines=-1`, 422],
  [`${logs}?tailLines=${"9".repeat(4_000)}`, 400],
  [`${logs}?limitBytes=0`, 422],
  [`${logs}?sinceSeconds=-9223372036854775808`, 422],
  [`${logs}?sinceTime=never`, 400],
  [`${logs}?stream=../../etc`, 422],
  [`${logs}?${"tailLines=1&".repeat(1_000)}`, 200],
  ["/logs/..%2f..%2fetc%2fshadow", 404],
  ["/logs/%2e%2e/%2e%2e/etc/shadow", 404],
  ["/logs/%00", 404],
  ["/logs/x\\..\\..\\etc", 404],
  ["/metrics/../configz", 200],
  ["/metrics/%2e%2e%2fconfigz", 404],
  ["/stats/summary?only_cpu_and_memory=x", 200],
  ["/checkpoint/default/web/main", 405, { method: "POST" }],
  ["/configz", 200, { body: "x".repeat(1 << 20) }],
  ["/flagz", 406, { headers: { accept: "text/\u00ff;q=x" } }],
  ["/exec/default/web/main?command=id&output=1", 400],
  ["/exec/default/web/main?output=1", 400, { headers: switching }],
  ["/exec/default/web/main?command=id", 400, { headers: switching }],
  ["/exec/%ff/web/main?command=id&output=1", 400, { headers: switching }],
  ["/exec/default/missing/main?command=id&output=1", 404, { headers: switching }],
  ["/exec/default/web/uid/main?command=id&output=1", 404, { headers: switching }],
  ["/attach/default/web/..?output=1", 404, { headers: switching }],
  ["/portForward/default/web?port=0", 400, { headers: switching }],
  ["/portForward/default/web?port=65536", 400, { headers: switching }],
  ["/portForward/default/web?port=x,1", 400, { headers: switching }],
  [`/portForward/default/web?port=${"9".repeat(4_000)}`, 400, { headers: switching }],
  ["/run/default/web/main?cmd=id", 405],
  ["/run/default/web/other?cmd=id", 500, { method: "POST" }],
  ["/run/default/web/main?cmd=", 500, { method: "POST" }],
];

/** Bytes that are no request. */
const garbage: Readonly<Record<string, string>> = {
  "no HTTP": "\u0000\u0001\u0002".repeat(1_000),
  "a header without an end": `GET / HTTP/1.1\r\nhost: x\r\na: ${"y".repeat(100_000)}`,
  "two lengths":
    "POST /run/a/b/c HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
  "a negative length": "POST /run/a/b/c HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
  "an unknown method": "KILL / HTTP/1.1\r\nhost: x\r\n\r\n",
  "a tunnel": "CONNECT 127.0.0.1:1 HTTP/1.1\r\nhost: x\r\n\r\n",
};

describe("hostile requests to a kubelet", { skip }, () => {
  let node: AttackedNode;
  let port = 0;
  let readOnlyPort = 0;
  let healthzPort = 0;
  let pod: Pod;

  before(async () => {
    [port, readOnlyPort, healthzPort] = [await freePort(), await freePort(), await freePort()];
    node = await AttackedNode.start({
      enableServer: true,
      address: "127.0.0.1",
      port,
      readOnlyPort,
      healthzPort,
      authentication: {
        anonymous: { enabled: true },
        webhook: { enabled: false, cacheTTL: "2m0s" },
        x509: { clientCAFile: "" },
      },
      authorization: {
        mode: "AlwaysAllow",
        webhook: { cacheAuthorizedTTL: "5m0s", cacheUnauthorizedTTL: "30s" },
      },
    });
    pod = await node.createPod("web");
    await node.untilRunning("web");
  });
  after(() => node[Symbol.asyncDispose]());

  const open = async (to: number): Promise<Socket> => {
    const target = { host: "127.0.0.1", port: to };
    const socket =
      to === port ? connect({ ...target, rejectUnauthorized: false }) : connectPlain(target);
    await once(socket, to === port ? "secureConnect" : "connect");
    return socket;
  };

  /** What comes back until the connection ends: the server ends it, or this does when it has an answer. */
  async function send(to: number, bytes: string): Promise<string> {
    const socket = await open(to);
    let received = "";
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
      if (received.includes("\r\n\r\n")) socket.destroy();
    });
    const closed = new Promise<void>((done) =>
      socket.on("error", () => undefined).on("close", () => done()),
    );
    socket.write(bytes, "latin1");
    await closed;
    return received;
  }

  async function ask(to: number, path: string, sent: Sent = {}): Promise<number> {
    const { method = "GET", headers = {}, body = "" } = sent;
    const all = {
      host: "x",
      connection: "close",
      "content-length": String(body.length),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const text = await send(to, `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
    return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
  }

  const isWell = async (): Promise<void> => {
    assert.equal(await ask(port, "/healthz"), 200);
    assert.equal(await ask(healthzPort, "/healthz"), 200);
    const found = await node.client.get(pods, { name: "web", namespace: "default" });
    assert.equal(found.metadata.uid, pod.metadata.uid);
  };

  test("harmless ones are answered", async () => {
    for (const path of [
      logs,
      `${logs}?tailLines=1&timestamps=true`,
      "/pods",
      "/configz",
      "/logs/",
    ]) {
      assert.equal(await ask(port, path), 200, path);
    }
    assert.equal(await ask(readOnlyPort, "/pods"), 200);
    await isWell();
  });

  for (const [path, status, sent] of answers) {
    test(`${sent?.method ?? "GET"} ${path.slice(0, 70)}${sent?.headers ? " with headers" : ""}: ${status}`, async () => {
      assert.equal(await ask(port, path, sent), status);
    });
  }

  for (const [name, bytes] of Object.entries(garbage)) {
    test(`${name}: the connection ends`, async () => {
      for (const to of [port, readOnlyPort, healthzPort]) {
        assert.doesNotMatch(await send(to, bytes), /^HTTP\/1\.1 (?:1|2|5)/);
      }
    });
  }

  test("paths that are no URL, for the servers without authentication", async () => {
    for (const to of [readOnlyPort, healthzPort]) {
      for (const path of ["//", "//[", "///", "*", "http://other:99999/", "/%ff", "/["]) {
        assert.equal(await ask(to, path), 404, path);
      }
    }
    await isWell();
  });

  test("followers of logs that go away leave nothing behind", async () => {
    for (let round = 0; round < 20; round++) {
      const socket = await open(port);
      socket.on("error", () => undefined);
      socket.write(`GET ${logs}?follow=true HTTP/1.1\r\nhost: x\r\n\r\n`);
      await once(socket, "data");
      socket.destroy();
    }
    await isWell();
  });
});
