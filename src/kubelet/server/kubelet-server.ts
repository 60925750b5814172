/** Upstream: pkg/kubelet/server/server.go. */
import type { IncomingMessage, Server as PlainServer, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { DelegatedAuthentication } from "#/component/delegated-authentication.ts";
import type { DelegatedAuthorization } from "#/component/delegated-authorization.ts";
import type { ServingCertificate } from "#/component/serving-certificate.ts";
import { StatusError } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import { createServer as createPlainServer } from "#/std/net/node-http.ts";
import { requestUrl } from "#/std/net/request-url.ts";
import { HttpProblem, type Reply } from "./reply.ts";
import { requestAttributes } from "./request-attributes.ts";
import type { Routes } from "./routes.ts";
import { refuseUpgrade, serveStream } from "./stream-proxy.ts";

const log = logger("kubelet-server");

interface KubeletServerOptions {
  readonly address: string;
  readonly port: number;
  readonly nodeName: string;
  readonly certificate: ServingCertificate;
  readonly authentication: DelegatedAuthentication;
  /** Undefined if every request is allowed (`AlwaysAllow`). */
  readonly authorization: DelegatedAuthorization | undefined;
  readonly routes: Routes;
}

interface RunningServer extends AsyncDisposable {
  readonly port: number;
}

/** Serves the kubelet's API over HTTPS to authorized clients. */
export async function serveKubelet(options: KubeletServerOptions): Promise<RunningServer> {
  const { certificate } = options;
  const tls = { ...certificate.current, requestCert: true, rejectUnauthorized: false };
  const server = createServer({ ...tls, minVersion: "TLSv1.2" }, (request, response) => {
    answer(request, response, options).catch((error: unknown) => fail(response, error));
  });
  certificate.onChange(() => server.setSecureContext({ ...certificate.current }));
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    upgrade(request, socket, head, options).catch((error: unknown) => {
      const { status, message } = problemOf(error);
      refuseUpgrade(socket, status, message);
    });
  });
  return listen(server, options.address, options.port);
}

/** Serves the paths that need no permission over plain HTTP (`readOnlyPort`). */
export function serveReadOnly(
  address: string,
  port: number,
  routes: Routes,
): Promise<RunningServer> {
  const server = createPlainServer((request, response) => {
    routes
      .readOnly(request, requestUrl(request))
      .then((reply) => send(reply, response))
      .catch((error: unknown) => fail(response, error));
  });
  return listen(server, address, port);
}

function listen(server: Server | PlainServer, host: string, port: number): Promise<RunningServer> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        async [Symbol.asyncDispose]() {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}

/** Authenticates and authorizes a request; throws if it is refused. */
async function admit(request: IncomingMessage, options: KubeletServerOptions): Promise<void> {
  const { authentication, authorization, nodeName } = options;
  const peer = (request.socket as TLSSocket).getPeerX509Certificate();
  const { authorization: header } = request.headers;
  const user = await authentication.authenticate({
    authorization: header,
    certificates: peer === undefined ? [] : [peer.raw],
  });
  if (authorization === undefined) return;
  const { pathname } = requestUrl(request);
  const method = request.method ?? "GET";
  const required = requestAttributes(method, pathname, nodeName);
  for (const resource of required) {
    const { allowed } = await authorization.authorize({ user, resource });
    if (allowed) return;
  }
  const { verb, subresource } = required.at(-1) ?? {};
  throw new HttpProblem(
    403,
    `Forbidden (user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${required.map((one) => one.subresource).join(" ")}])`,
    subresource,
  );
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: KubeletServerOptions,
): Promise<void> {
  await admit(request, options);
  const url = requestUrl(request);
  const leaving = new AbortController();
  response.once("close", () => leaving.abort());
  await send(await options.routes.answer(request, url, leaving.signal), response);
}

async function upgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  options: KubeletServerOptions,
): Promise<void> {
  await admit(request, options);
  const url = requestUrl(request);
  await serveStream(request, socket, head, await options.routes.stream(url));
}

async function send(reply: Reply, response: ServerResponse): Promise<void> {
  const { status = 200, headers = {}, body } = reply;
  response.writeHead(status, headers);
  if (typeof body === "string" || body instanceof Uint8Array) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  for await (const piece of body) {
    if (response.destroyed) break;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

function problemOf(error: unknown): { status: number; message: string } {
  if (error instanceof HttpProblem) return { status: error.status, message: error.message };
  if (error instanceof StatusError) {
    const { code = 500 } = error.status;
    return { status: code, message: code === 401 ? "Unauthorized" : error.message };
  }
  log.error(error, "failed to serve request");
  return { status: 500, message: error instanceof Error ? error.message : String(error) };
}

function fail(response: ServerResponse, error: unknown): void {
  const { status, message } = problemOf(error);
  if (response.headersSent) {
    response.end(message);
    return;
  }
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(message);
}
