import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { test } from "node:test";
import type { Probe } from "#/api/core/v1.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { systemClock } from "#/std/time/clock.ts";
import { httpGetRequest } from "./http-get.ts";
import { ProbeRunner } from "./run-probe.ts";

const container = { name: "c", ports: [{ name: "web", containerPort: 80 }] };
const pod = { metadata: { name: "p", namespace: "n", uid: "u" }, spec: { containers: [] } };
const target = { pod, container, containerId: "1", podIP: "127.0.0.1" };
const outputs = { stdout: new Uint8Array(), stderr: Buffer.from("bad") };

test("httpGetRequest() has named ports, headers and the pod's IP", () => {
  const httpHeaders = [
    { name: "Host", value: "a.b" },
    { name: "X", value: "1" },
  ];
  const request = httpGetRequest({ port: "web", path: "/x?y", httpHeaders }, container, "fd00::1");
  assert.equal(request.url.href, "http://[fd00::1]/x?y");
  assert.deepEqual(request.headers, {
    host: ["a.b"],
    x: ["1"],
    "user-agent": ["kube-probe/1.37"],
    accept: ["*/*"],
  });
  assert.throws(() => httpGetRequest({ port: "no" }, container, ""), /port "no" not found/);
});

test("ProbeRunner runs HTTP, TCP and exec probes", async () => {
  const server = createServer((request, response) => {
    const redirects: Record<string, string> = { "/go": "/ok", "/away": "http://other.example/" };
    const location = redirects[request.url ?? ""];
    const status = location ? 302 : request.url === "/ok" ? 200 : 500;
    response.writeHead(status, location ? { location } : {}).end("body");
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const old = createTcpServer((socket) =>
    socket.once("data", () => socket.end("HTTP/1.0 200 OK\nContent-Length: 2\n\nok")),
  );
  await new Promise<void>((done) => void old.listen(0, "127.0.0.1", done));
  const runner = new ProbeRunner(
    {
      ExecSync: async ({ cmd }) => {
        if (cmd?.[0] === "slow") throw new GrpcError("DEADLINE_EXCEEDED", "");
        return { ...outputs, exitCode: cmd?.[0] === "true" ? 0 : 1 };
      },
    },
    systemClock,
  );
  const cases: [Probe, string, string?][] = [
    [{ httpGet: { port, path: "/ok" } }, "success", "body"],
    [{ httpGet: { port, path: "/go" } }, "success", "body"],
    [{ httpGet: { port, path: "/away" } }, "warning"],
    // Go accepts lines that end with LF alone.
    [{ httpGet: { port: (old.address() as AddressInfo).port, path: "/" } }, "success", "ok"],
    [{ httpGet: { port, path: "/" } }, "failure", "HTTP probe failed with statuscode: 500"],
    [
      { httpGet: { port: 1, path: "/" } },
      "failure",
      'Get "http://127.0.0.1:1/": dial tcp 127.0.0.1:1: connect: connection refused',
    ],
    [{ tcpSocket: { port } }, "success", ""],
    [{ tcpSocket: { port: 1 } }, "failure", "dial tcp 127.0.0.1:1: connect: connection refused"],
    [{ exec: { command: ["true"] } }, "success"],
    [{ exec: { command: ["false"] } }, "failure", "bad"],
    [
      { exec: { command: ["slow", "x"] } },
      "failure",
      'command timed out: "slow x" timed out after 1s',
    ],
    [{ grpc: { port: 1 } }, "failure"],
  ];
  try {
    for (const [probe, result, output] of cases) {
      const outcome = await runner.run(probe, target);
      assert.equal(outcome.result, result, JSON.stringify(probe));
      if (output !== undefined) assert.equal(outcome.output, output);
    }
  } finally {
    server.close();
    old.close();
  }
});
