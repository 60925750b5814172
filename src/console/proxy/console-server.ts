import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { refuseUpgrade } from "#/client/streaming/join-upgrade.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { requestUrl } from "#/std/net/request-url.ts";
import { answerConsole, consolePath } from "../files/console-files.ts";
import { forwardRequest, forwardUpgrade } from "./forward-request.ts";
import { isOwnHost, isSame, refusalOf } from "./request-guard.ts";
import { serveStream, streamPath } from "./serve-stream.ts";

const loginPath = `${consolePath}open`;

/** Path of what the kubeconfig selects: the page has no other way to know it. */
const contextPath = `${consolePath}context`;

const usedLinkText = `This link was used already, and opens the console once.
Press Enter in the terminal of k8ts console for a new one.
`;

/** The console on a port of this machine, and the API server of a kubeconfig behind it. */
export interface ConsoleServer extends AsyncDisposable {
  readonly port: number;
  /** A link that opens the console once; the one before it opens it no more. */
  newLink(): string;
}

interface ConsoleServerOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Name of the kubeconfig's context. */
  readonly context: string;
  /** Its namespace. */
  readonly namespace: string;
}

/**
 * Serves the console to this machine only. A browser that opens a link gets the session's cookie: with it, the page has the
 * rights of the kubeconfig. Requests without it, of other pages and of other names of this machine are refused.
 */
export async function openConsoleServer(
  transport: Transport,
  { port, context, namespace }: ConsoleServerOptions,
): Promise<ConsoleServer> {
  const session = randomBytes(32).toString("base64url");
  let ticket = "";
  const bound = () => (server.address() as AddressInfo | null)?.port ?? port;
  const guard = () => ({ port: bound(), cookieName: `k8ts-console-${bound()}`, session });

  const logIn = (url: URL, response: ServerResponse): void => {
    const given = url.searchParams.get("ticket") ?? "";
    if (ticket === "" || !isSame(given, ticket)) {
      sendText(response, 403, usedLinkText);
      return;
    }
    ticket = "";
    const cookie = `${guard().cookieName}=${session}; Path=/; HttpOnly; SameSite=Strict`;
    response.writeHead(303, {
      location: consolePath,
      "set-cookie": cookie,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    });
    response.end();
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isOwnHost(request, bound())) return sendText(response, 403, "another host name\n");
    const url = requestUrl(request);
    if (url.pathname === "/") return redirect(response, consolePath);
    if (url.pathname === loginPath) return logIn(url, response);
    const acceptEncoding = String(request.headers["accept-encoding"] ?? "");
    const { method = "GET" } = request;
    const path = url.pathname;
    const file =
      path === contextPath ? undefined : await answerConsole({ method, path, acceptEncoding });
    if (file) {
      response.writeHead(file.status, file.headers).end(file.body);
      return;
    }
    const refusal = refusalOf({ headers: request.headers, isUpgrade: false }, guard());
    if (refusal !== undefined) sendRefusal(response, refusal);
    else if (url.pathname === contextPath) sendJson(response, 200, { context, namespace });
    else await forwardRequest(transport, request, response);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      if (!response.headersSent) sendText(response, 500, `${error.message}\n`);
    });
  });
  const upgraded = new Set<Duplex>();
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket));
    socket.on("error", () => socket.destroy());
    const refusal = refusalOf({ headers: request.headers, isUpgrade: true }, guard());
    if (refusal !== undefined) return refuseUpgrade(socket, 403, refusal);
    const isStream = requestUrl(request).pathname === streamPath;
    void (isStream ? serveStream : forwardUpgrade)(transport, { request, socket, head });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port }, resolve);
  });
  return {
    port: bound(),
    newLink() {
      ticket = randomBytes(16).toString("base64url");
      return `http://127.0.0.1:${bound()}${loginPath}?ticket=${ticket}`;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
  response.end(text);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end();
}

/** Without a session the page says how to get one; 401 is its sign. */
function sendRefusal(response: ServerResponse, refusal: string): void {
  const code = refusal === "no session" ? 401 : 403;
  const reason = code === 401 ? "Unauthorized" : "Forbidden";
  const message = `k8ts console refuses the request: ${refusal}`;
  sendJson(response, code, { kind: "Status", apiVersion: "v1", code, reason, message });
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(value));
}
