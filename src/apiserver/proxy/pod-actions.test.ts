import assert from "node:assert/strict";
import { once } from "node:events";
import { get, request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { test } from "node:test";
import type { TLSSocket } from "node:tls";
import { openRemoteCommand } from "#/client/streaming/remote-command.ts";
import { HttpsTransport } from "#/client/transport/https-transport.ts";
import { SpdyConnection, type SpdyStream } from "#/std/spdy/spdy-connection.ts";
import { type KubeletBehaviour, startProxiedCluster } from "#/testing/start-proxied-cluster.ts";

const pod = "/api/v1/namespaces/default/pods/p";

/** Requests an upgrade from the API server. */
async function openStream(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ response: IncomingMessage; socket: Socket; head: Buffer }> {
  const request = httpRequest({
    port,
    host: "127.0.0.1",
    method: "POST",
    path,
    headers: { connection: "Upgrade", upgrade: "SPDY/3.1", ...headers },
  });
  request.end();
  request.once("response", (response) => {
    request.destroy(new Error(`refused: ${response.statusCode}`));
  });
  const [response, socket, head] = (await once(request, "upgrade")) as [
    IncomingMessage,
    Socket,
    Buffer,
  ];
  return { response, socket, head };
}

/** A kubelet that accepts any upgrade, records requests, and sends the given response. */
const echo: KubeletBehaviour = {
  upgrade(request, socket) {
    socket.allowHalfOpen = true;
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n",
    );
    const subject = (request.socket as TLSSocket).getPeerCertificate().subject.CN;
    const { "x-forwarded-for": from, authorization } = request.headers;
    socket.write(`${request.method} ${request.url} ${subject} ${from} ${authorization}\n`);
    socket.on("data", (chunk) => socket.write(chunk));
    socket.on("end", () => socket.end("bye"));
    socket.on("error", () => undefined);
  },
};

test("exec passes bytes both ways until both sides have ended", async () => {
  await using cluster = await startProxiedCluster(echo);
  const query = "command=ls&command=-l%20a&stdin=true&stdout=1&tty=0&stderr=false";
  const { response, socket, head } = await openStream(cluster.port, `${pod}/exec?${query}`, {
    authorization: "Bearer secret",
  });
  assert.equal(response.statusCode, 101);
  assert.equal(response.headers["x-stream-protocol-version"], "v4.channel.k8s.io");
  if (head.length > 0) socket.unshift(head);
  socket.write(Buffer.alloc(200_000, "x"));
  socket.end("end");
  const received = (await buffer(socket)).toString();
  const [asked, rest = ""] = received.split("\n");
  const path = "/exec/default/p/main?command=ls&command=-l+a&input=1&output=1";
  assert.equal(asked, `POST ${path} apiserver 127.0.0.1 undefined`);
  assert.equal(rest.length, 200_006);
  assert.ok(rest.endsWith("endbye"));
});

test("attach and portforward reach the kubelet", async () => {
  await using cluster = await startProxiedCluster(echo);
  const cases = [
    ["attach?stdout=true&container=main", "/attach/default/p/main?output=1"],
    ["portforward?ports=80,81", "/portForward/default/p?port=80%2C81"],
    ["portforward", "/portForward/default/p"],
  ];
  for (const [asked, passed] of cases) {
    const { socket, head } = await openStream(cluster.port, `${pod}/${asked}`);
    if (head.length > 0) socket.unshift(head);
    socket.end();
    assert.match(
      (await buffer(socket)).toString(),
      new RegExp(`^POST ${RegExp.escape(passed ?? "")} `),
    );
  }
});

test("a client that disconnects ends the kubelet's stream", async () => {
  const closed = Promise.withResolvers<void>();
  await using cluster = await startProxiedCluster({
    upgrade(request, socket, head) {
      socket.once("close", () => closed.resolve());
      echo.upgrade?.(request, socket, head);
    },
  });
  const { socket } = await openStream(cluster.port, `${pod}/exec?command=a&stdout=true`);
  socket.destroy();
  await closed.promise;
});

test("a kubelet that disconnects ends the client's stream", async () => {
  await using cluster = await startProxiedCluster({
    upgrade(_request, socket) {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
      socket.end("last words");
    },
  });
  const { socket, head } = await openStream(cluster.port, `${pod}/exec?command=a`);
  if (head.length > 0) socket.unshift(head);
  assert.equal((await buffer(socket)).toString(), "last words");
});

test("a WebSocket is translated for a kubelet that supports SPDY only", async () => {
  const asked = Promise.withResolvers<unknown[]>();
  await using cluster = await startProxiedCluster({
    upgrade({ method, url, headers }, socket, head) {
      asked.resolve([method, url, headers.upgrade]);
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n",
      );
      const success = JSON.stringify({ metadata: {}, status: "Success" });
      const onStream = (stream: SpdyStream) => {
        if (stream.headers["streamtype"] === "stdout") stream.end("out");
        else stream.end(success);
      };
      new SpdyConnection(socket, { role: "server", head, onStream });
    },
  });
  await using transport = new HttpsTransport({ server: `http://127.0.0.1:${cluster.port}` });
  const request = { method: "POST", path: `${pod}/exec`, query: { command: "a", stdout: true } };
  const streams = { stdin: false, stdout: true, stderr: false, tty: false };
  const command = await openRemoteCommand(transport, request, streams, {
    upgrades: ["websocket"],
  });
  assert.ok(command.stdout);
  assert.equal(await text(command.stdout), "out");
  assert.equal((await command.status).status, "Success");
  assert.deepEqual(await asked.promise, [
    "POST",
    "/exec/default/p/main?command=a&output=1",
    "SPDY/3.1",
  ]);
});

test("a kubelet's refusal of an upgrade is sent to the client", async () => {
  await using cluster = await startProxiedCluster({
    upgrade(_request, socket) {
      socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
    },
  });
  const headers = { connection: "Upgrade", upgrade: "SPDY/3.1" };
  const request = get({ port: cluster.port, host: "127.0.0.1", path: `${pod}/exec`, headers });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  assert.equal(response.statusCode, 403);
  assert.equal(await text(response), "no");
});

test("log streams the kubelet's response, and stops when the client disconnects", async () => {
  const asked = Promise.withResolvers<string>();
  const stopped = Promise.withResolvers<void>();
  await using cluster = await startProxiedCluster({
    request(request, response) {
      asked.resolve(request.url ?? "");
      response.write("line 1\n");
      response.once("close", () => stopped.resolve());
    },
  });
  const query = "follow=true&tailLines=5&timestamps=1&sinceTime=2020-01-01T01:00:00%2B01:00";
  const request = get({ port: cluster.port, host: "127.0.0.1", path: `${pod}/log?${query}` });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  assert.equal(response.headers["content-type"], "text/plain");
  const [chunk] = (await once(response, "data")) as [Buffer];
  assert.equal(chunk.toString(), "line 1\n");
  assert.equal(
    await asked.promise,
    "/containerLogs/default/p/main?follow=true&sinceTime=2020-01-01T00%3A00%3A00Z&tailLines=5&timestamps=true",
  );
  response.on("error", () => undefined);
  request.destroy();
  await stopped.promise;
});

const refusals = [
  { path: "log?container=x", code: 400, message: "container x is not valid for pod p" },
  {
    path: "log",
    code: 400,
    message: "a container name must be specified for pod p, choose one of: [a b]",
  },
  {
    path: "log?tailLines=x",
    code: 400,
    message: 'strconv.ParseInt: parsing "x": invalid syntax',
  },
  {
    path: "log?tailLines=-1&limitBytes=0&sinceSeconds=0",
    code: 422,
    message:
      'PodLogOptions "p" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0, sinceSeconds: Invalid value: 0: must be greater than 0]',
  },
  { path: "log?container=a", code: 500, message: "Internal error occurred: broken\n" },
  {
    path: "log?container=b",
    code: 404,
    message: "the server could not find the requested resource ( pods/log p)",
  },
  { path: "exec?container=a", code: 400, message: "Upgrade request required" },
  { path: "exec?dryRun=All", code: 400, message: "dryRun is not supported" },
  {
    path: "portforward?ports=x",
    code: 400,
    message: 'cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax',
  },
  { path: "proxy/", code: 400, message: "address not allowed" },
];

test("invalid requests are refused with upstream's messages", async (context) => {
  await using cluster = await startProxiedCluster(
    {
      request(request, response) {
        response.statusCode =
          request.url?.includes("/a?") || request.url?.endsWith("/a") ? 500 : 404;
        response.end("broken\n");
      },
    },
    ["a", "b"],
  );
  for (const { path, code, message } of refusals) {
    await context.test(path, async () => {
      const { status, json } = await cluster.api.call("GET", `${pod}/${path}`);
      assert.deepEqual({ status, message: json.message }, { status: code, message });
    });
  }
});
