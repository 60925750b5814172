import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import type { Status } from "#/api/meta/v1.ts";
import { SpdyConnection, type SpdyStream } from "#/std/spdy/spdy-connection.ts";
import type { KubectlServer } from "./start-server.ts";

/**
 * A node whose only container is a folder of this machine: its commands run here, in the folder `box` beside
 * that of the commands. It supports SPDY only, as kubelets before 1.36; the API server translates.
 */
export async function startLocalNode(server: KubectlServer): Promise<AsyncDisposable> {
  const certificates = join(dirname(server.folder), "certs");
  const cert = await readFile(join(certificates, "apiserver.crt"));
  const key = await readFile(join(certificates, "apiserver.key"));
  const kubelet = createServer({ cert, key }, (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).end("said before\n");
  });
  kubelet.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    serve(new URL(request.url ?? "", "https://node"), { socket, head, folder: server.box });
  });
  await new Promise<void>((resolve) => kubelet.listen(0, "127.0.0.1", resolve));
  await register(server, (kubelet.address() as AddressInfo).port);
  return {
    async [Symbol.asyncDispose]() {
      kubelet.closeAllConnections();
      kubelet.close();
    },
  };
}

async function register({ client }: KubectlServer, port: number): Promise<void> {
  const path = "/api/v1/nodes";
  await client.request({ method: "POST", path, body: { metadata: { name: "local" } } });
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  await client.request({
    method: "PATCH",
    path: `${path}/local/status`,
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ status }),
  });
}

interface Session {
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly folder: string;
}

function serve(url: URL, { socket, head, folder }: Session): void {
  socket.on("error", () => socket.destroy());
  socket.write(
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n" +
      `X-Stream-Protocol-Version: ${url.pathname.startsWith("/portForward") ? "portforward.k8s.io" : "v4.channel.k8s.io"}\r\n\r\n`,
  );
  const onStream = url.pathname.startsWith("/portForward")
    ? forwardTo(new Map())
    : runIn(url, folder, new Map());
  new SpdyConnection(socket, { role: "server", head, onStream });
}

/** Runs the command of a request when all its streams are open; attach connects to a `cat`. */
function runIn(url: URL, folder: string, streams: Map<string, SpdyStream>) {
  const { searchParams: query, pathname } = url;
  const wanted = ["input", "output", "error", "tty"].filter((name) => query.has(name)).length + 1;
  return (stream: SpdyStream): void => {
    streams.set(stream.headers["streamtype"] ?? "", stream);
    if (streams.size < wanted) return;
    const [program = "cat", ...args] = pathname.startsWith("/exec")
      ? query.getAll("command")
      : ["cat"];
    const [file, words] = query.has("tty") ? inTerminal(program, args) : [program, args];
    const child = spawn(file, words, {
      cwd: folder,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    });
    const end = (status: Status): void => {
      for (const name of ["stdout", "stderr"]) streams.get(name)?.end();
      streams.get("error")?.end(JSON.stringify(status));
    };
    child.once("error", () => end(internal(`exec: ${program}: not found`)));
    child.once("close", (code) => end(code === 0 ? success : exited(code ?? 137)));
    child.stdin.on("error", () => undefined);
    const stdin = streams.get("stdin");
    if (stdin) stdin.pipe(child.stdin);
    else child.stdin.end();
    child.stdout.on("data", (data: Buffer) => streams.get("stdout")?.write(data));
    child.stderr.on("data", (data: Buffer) => streams.get("stderr")?.write(data));
  };
}

/** A command with a terminal, which `script` opens; a kubelet's runtime does it elsewhere. */
function inTerminal(program: string, args: readonly string[]): [string, string[]] {
  const line = [program, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return ["script", ["--quiet", "--flush", "--return", "--command", line, "/dev/null"]];
}

const success: Status = { metadata: {}, status: "Success" };

const exited = (code: number): Status => ({
  metadata: {},
  status: "Failure",
  reason: "NonZeroExitCode",
  message: `command terminated with non-zero exit code: exit status ${code}`,
  details: { causes: [{ reason: "ExitCode", message: String(code) }] },
});

const internal = (message: string): Status => ({
  metadata: {},
  status: "Failure",
  reason: "InternalError",
  message: `Internal error occurred: error executing command in container: ${message}`,
  code: 500,
});

/** Connects pairs of streams with ports of this machine. */
function forwardTo(errors: Map<string, SpdyStream>) {
  return (stream: SpdyStream): void => {
    const { streamtype, requestid = "", port } = stream.headers;
    if (streamtype === "error") {
      errors.set(requestid, stream);
      return;
    }
    const socket = connect(Number(port), "127.0.0.1");
    socket.once("error", () => {
      stream.end();
      errors.get(requestid)?.end(`failed to connect to localhost:${port} inside the container`);
    });
    socket.once("close", () => errors.get(requestid)?.end());
    stream.pipe(socket).pipe(stream);
  };
}
