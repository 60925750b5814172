import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type Duplex, PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { Status } from "#/api/meta/v1.ts";
import { SpdyConnection, type SpdyStream } from "#/std/spdy/spdy-connection.ts";
import { agreement } from "#/std/websocket/handshake.ts";
import { WebSocket } from "#/std/websocket/websocket.ts";
import { HttpsTransport } from "../transport/https-transport.ts";
import { acceptCommand, joinCommand } from "./accept-command.ts";
import { openPortForward, portForwardProtocol, tunnel, tunnelProtocol } from "./port-forward.ts";
import { exitCodeOf, openRemoteCommand, type RemoteCommand } from "./remote-command.ts";
import {
  type DialSpdy,
  translateCommand,
  translateTunnel,
  wantedTranslation,
} from "./translate.ts";

type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A server that only accepts upgrades, and a transport to it. */
async function serving(
  onUpgrade: OnUpgrade,
): Promise<{ transport: HttpsTransport } & AsyncDisposable> {
  const server: Server = createServer((_request, response) => response.writeHead(400).end("no"));
  server.on("upgrade", onUpgrade);
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
  const transport = new HttpsTransport({ server: `http://127.0.0.1:${port}` });
  return {
    transport,
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}

const failure: Status = {
  metadata: {},
  status: "Failure",
  reason: "NonZeroExitCode",
  details: { causes: [{ reason: "ExitCode", message: "3" }] },
};
const streams = { stdin: true, stdout: true, stderr: true, tty: false };
const request = { method: "POST", path: "/exec" };
const spdyAgreement =
  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n" +
  "X-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n";

/** A command that writes its input in upper case, writes to stderr, and fails. */
function shout(sizes: string[]): RemoteCommand {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const status = text(stdin).then((said) => {
    stdout.end(said.toUpperCase());
    stderr.end("oh");
    return failure;
  });
  const resize = ({ width, height }: { width: number; height: number }) =>
    void sizes.push(`${width}x${height}`);
  return { stdin, stdout, stderr, status, resize, close: () => undefined };
}

async function checkShout(command: RemoteCommand, message?: string): Promise<void> {
  command.resize({ width: 80, height: 24 });
  command.stdin?.end("hello");
  const [out, err, status] = await Promise.all([
    command.stdout && text(command.stdout),
    command.stderr && text(command.stderr),
    command.status,
  ]);
  const expected = message === undefined ? failure : { ...failure, message };
  assert.deepEqual([out, err, status, exitCodeOf(status)], ["HELLO", "oh", expected, 3]);
  command.close();
}

test("openRemoteCommand() runs a command over a WebSocket", async () => {
  const sizes: string[] = [];
  await using server = await serving((incoming, socket, head) => {
    const client = acceptCommand({ headers: incoming.headers, socket, head }, streams);
    assert.ok(client);
    void joinCommand(client, shout(sizes), streams);
  });
  await checkShout(await openRemoteCommand(server.transport, request, streams));
  assert.deepEqual(sizes, ["80x24"]);
});

const greetings = [
  { given: { stdout: true, stderr: true }, channel: 1 },
  { given: { stdout: false, stderr: true }, channel: 2 },
  { given: { stdout: false, stderr: false }, channel: 3 },
];

for (const { given, channel } of greetings) {
  test(`acceptCommand() greets on channel ${channel}`, async () => {
    await using server = await serving((incoming, socket, head) => {
      const wanted = { ...streams, ...given };
      acceptCommand({ headers: incoming.headers, socket, head }, wanted)?.close();
    });
    const asked = { method: "GET", path: "/exec" };
    const upgraded = await server.transport.upgrade(asked, ["v5.channel.k8s.io"]);
    const webSocket = new WebSocket(upgraded.socket, { role: "client", head: upgraded.head });
    const { value } = await webSocket.messages().next();
    assert.deepEqual(value?.data, Buffer.from([channel]));
    webSocket.close();
  });
}

/** A SPDY server with the command shout(); it records the streams that the client ends. */
const shoutOverSpdy =
  (ended: string[] = []): OnUpgrade =>
  (incoming, socket, head) => {
    if (incoming.headers.upgrade !== "SPDY/3.1") {
      socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 7\r\n\r\nunknown");
      return;
    }
    socket.write(spdyAgreement);
    const opened = new Map<string, SpdyStream>();
    const onStream = (stream: SpdyStream): void => {
      const { streamtype = "" } = stream.headers;
      opened.set(streamtype, stream);
      stream.once("end", () => ended.push(streamtype));
      if (streamtype !== "stdin") stream.resume();
      if (opened.size < 4) return;
      const command = shout([]);
      const [stdin, stdout] = [opened.get("stdin"), opened.get("stdout")];
      if (command.stdin) stdin?.pipe(command.stdin);
      if (stdout) command.stdout?.pipe(stdout);
      const stderr = opened.get("stderr");
      if (stderr) command.stderr?.pipe(stderr);
      void command.status.then((status) => opened.get("error")?.end(JSON.stringify(status)));
    };
    new SpdyConnection(socket, { role: "server", head, onStream });
  };

test("openRemoteCommand() runs a command over SPDY if the server refuses WebSockets", async () => {
  const ended: string[] = [];
  await using server = await serving(shoutOverSpdy(ended));
  const command = await openRemoteCommand(server.transport, request, streams);
  // A server closes the connection at the end of a command, and its last output is lost if the
  // client still sends data.
  const first = command.status.then(() => [...ended]);
  await checkShout(command);
  assert.deepEqual(await first, ["stdin"]);
});

/** Dials a SPDY server. */
const dialing =
  ({ transport }: { transport: HttpsTransport }): DialSpdy =>
  (protocols) =>
    transport.upgrade({ ...request, headers: { upgrade: "SPDY/3.1" } }, protocols);

test("translateCommand() serves a WebSocket from SPDY", async () => {
  await using server = await serving(shoutOverSpdy());
  await using between = await serving(({ headers }, socket, head) => {
    assert.equal(wantedTranslation(headers), "command");
    void translateCommand({ headers, accept: () => ({ socket, head }) }, streams, dialing(server));
  });
  const options = { upgrades: ["websocket"] } as const;
  const command = await openRemoteCommand(between.transport, request, streams, options);
  const exit = "command terminated with exit code 3";
  await checkShout(command, `command terminated with non-zero exit code: ${exit}`);
});

test("translateCommand() reports the server's refusal to the client", async () => {
  await using server = await serving((_incoming, socket) => {
    socket.end("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n\r\nno");
  });
  await using between = await serving(({ headers }, socket, head) => {
    void translateCommand({ headers, accept: () => ({ socket, head }) }, streams, dialing(server));
  });
  const options = { upgrades: ["websocket"] } as const;
  const command = await openRemoteCommand(between.transport, request, streams, options);
  const { status, code } = await command.status;
  assert.deepEqual({ status, code }, { status: "Failure", code: 500 });
});

test("openRemoteCommand() throws the server's refusal", async () => {
  await using server = await serving((_incoming, socket) => {
    const body = JSON.stringify({
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      message: "gone",
      reason: "NotFound",
      code: 404,
    });
    socket.end(
      `HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  });
  await assert.rejects(openRemoteCommand(server.transport, request, streams), { message: "gone" });
});

/** Accepts the stream pairs of forwarded connections, and echoes data. */
function echoPorts(stream: SpdyStream): void {
  const { streamtype, port } = stream.headers;
  if (streamtype === "error") stream.end(port === "81" ? "refused" : undefined);
  else if (port === "81") stream.end();
  else stream.pipe(stream);
}

/** A server of port forwarding, over SPDY only or over WebSockets too. */
const forwarding =
  (webSockets: boolean): OnUpgrade =>
  (incoming, socket, head) => {
    const { upgrade, "sec-websocket-key": key = "" } = incoming.headers;
    if (upgrade === "websocket" && !webSockets) {
      socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
    } else if (upgrade === "websocket") {
      socket.write(agreement(key, tunnelProtocol));
      const webSocket = new WebSocket(socket, { role: "server", head });
      new SpdyConnection(tunnel(webSocket), { role: "server", onStream: echoPorts });
    } else {
      assert.equal(incoming.headers["x-stream-protocol-version"], portForwardProtocol);
      socket.write(spdyAgreement);
      new SpdyConnection(socket, { role: "server", head, onStream: echoPorts });
    }
  };

async function checkForward(transport: HttpsTransport): Promise<void> {
  const forward = await openPortForward(transport, { method: "POST", path: "/pf" });
  const [one, two, bad] = await Promise.all([80, 80, 81].map((port) => forward.connect(port)));
  assert.ok(one && two && bad);
  one.data.end("one");
  two.data.end("2".repeat(200_000));
  assert.equal(await text(one.data), "one");
  assert.equal((await text(two.data)).length, 200_000);
  assert.deepEqual([await one.error, await bad.error], ["", "refused"]);
  forward.close();
  await forward.ended;
}

for (const kind of ["a WebSocket", "SPDY"] as const) {
  test(`openPortForward() connects to ports over ${kind}`, async () => {
    await using server = await serving(forwarding(kind === "a WebSocket"));
    await checkForward(server.transport);
  });
}

test("translateTunnel() serves a WebSocket from SPDY", async () => {
  await using server = await serving(forwarding(false));
  await using between = await serving(({ headers }, socket, head) => {
    assert.equal(wantedTranslation(headers), "tunnel");
    void translateTunnel({ headers, accept: () => ({ socket, head }) }, dialing(server));
  });
  await checkForward(between.transport);
});
