import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { createServer, type Server, type TLSSocket } from "node:tls";
import { ApiServerProcess } from "../../faults/api-server-process.ts";
import { certify, SurroundingsBuilder } from "../../parity/surroundings.ts";

const path = "/api/v1/namespaces/default/pods/p/exec?command=sh&stdout=true";
const switched = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n";
const spdy = `${switched}X-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n`;
/** A SPDY control frame whose length is the largest there is. */
const largest = Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff, ...randomBytes(1000)]);

/** The bytes of a kubelet, after which it closes the connection. */
const attacks: Readonly<Record<string, string | Buffer>> = {
  "no HTTP": randomBytes(4096),
  nothing: "",
  "an error without an end": "HTTP/1.1 500 no\r\nContent-Length: 100000000\r\n\r\nx",
  "headers without an end": `HTTP/1.1 101 x\r\n${`x-a: ${"y".repeat(1000)}\r\n`.repeat(2000)}`,
  "another protocol": "HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n",
  "garbage after the upgrade": Buffer.concat([Buffer.from(spdy), randomBytes(1 << 20)]),
  "a frame of 16 MiB": Buffer.concat([Buffer.from(spdy), largest]),
  "a WebSocket frame": Buffer.concat([Buffer.from(spdy), Buffer.from([0xff, 0xff, 0xff, 0xff])]),
};

const clients: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  SPDY: { upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" },
  WebSocket: {
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
    "sec-websocket-protocol": "v5.channel.k8s.io",
  },
};

describe("hostile kubelet", () => {
  let builder: SurroundingsBuilder;
  let server: ApiServerProcess;
  let kubelet: Server;
  let bytes: string | Buffer = "";
  let calls = 0;

  before(async () => {
    builder = await SurroundingsBuilder.open();
    const names = { ips: ["127.0.0.1"] };
    const subject = { commonName: "n" };
    const { cert, key } = certify(builder.authority, { subject, usage: "server auth", names });
    kubelet = createServer({ cert, key }, (socket: TLSSocket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        calls++;
        socket.end(bytes);
      });
    });
    await new Promise<void>((resolve) => kubelet.listen(0, "127.0.0.1", resolve));
    const { port } = kubelet.address() as AddressInfo;
    server = await ApiServerProcess.start();
    const create = async (to: string, method: string, body: object): Promise<void> => {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const headers = { "content-type": type };
      const { status, text } = await server.send(method, to, body, undefined, headers);
      assert.ok(status < 300, text);
    };
    await create("/api/v1/nodes", "POST", { metadata: { name: "n" } });
    await create("/api/v1/nodes/n/status", "PATCH", {
      status: {
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      },
    });
    const account = "/api/v1/namespaces/default/serviceaccounts";
    await create(account, "POST", { metadata: { name: "default" } }).catch(() => undefined);
    await create("/api/v1/namespaces/default/pods", "POST", {
      metadata: { name: "p" },
      spec: {
        nodeName: "n",
        automountServiceAccountToken: false,
        containers: [{ name: "c", image: "i" }],
      },
    });
  });
  after(async () => {
    kubelet.close();
    await server[Symbol.asyncDispose]();
    await builder[Symbol.asyncDispose]();
  });

  /** The response to an exec, once its connection has ended. */
  const exec = (
    client: Readonly<Record<string, string>>,
  ): Promise<{ status: number; received: string }> =>
    new Promise((resolve, reject) => {
      const sent = request({
        host: "127.0.0.1",
        port: server.port,
        path,
        method: "GET",
        rejectUnauthorized: false,
        headers: { authorization: "Bearer token", connection: "Upgrade", ...client },
      });
      sent.on("upgrade", ({ statusCode: status = 0 }, socket, head) => {
        let received = head.toString("latin1");
        socket.on("data", (chunk: Buffer) => {
          received += chunk.toString("latin1");
        });
        socket.on("error", () => undefined).on("close", () => resolve({ status, received }));
      });
      sent.on("response", (response) => {
        const { statusCode: status = 0 } = response;
        const end = (): void => resolve({ status, received: "" });
        response.on("error", () => undefined).on("close", end);
        response.resume();
      });
      sent.on("error", reject);
      sent.end();
    });

  test("the frames of a harmless one arrive", async () => {
    bytes = Buffer.concat([Buffer.from(spdy), Buffer.from("frames")]);
    assert.deepEqual(await exec(clients["SPDY"] ?? {}), { status: 101, received: "frames" });
  });

  for (const [protocol, headers] of Object.entries(clients)) {
    for (const [name, answer] of Object.entries(attacks)) {
      test(`${name}, for a client of ${protocol}: its connection ends, the server goes on`, async () => {
        bytes = answer;
        const before = calls;
        const { status } = await exec(headers);
        assert.ok(status === 101 || status >= 400, String(status));
        assert.ok(calls > before, "the kubelet was called");
        assert.equal((await server.send("GET", "/readyz")).status, 200);
      });
    }
  }
});
