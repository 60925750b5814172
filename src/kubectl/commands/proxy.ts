/**
 * Upstream: staging/src/k8s.io/kubectl/pkg/cmd/proxy/proxy.go, staging/src/k8s.io/kubectl/pkg/proxy/proxy_server.go.
 */
import { existsSync, unlinkSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { joinUpgrade, refuseUpgrade } from "#/client/streaming/join-upgrade.ts";
import { StatusError } from "#/machinery/meta/status-error.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { requestUrl } from "#/std/net/request-url.ts";
import { CommandError, ExitError, messageOf } from "../base/errors.ts";
import { klog } from "../base/klog.ts";
import { command, type Invocation } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { warnLog } from "../command/shared-flags.ts";
import { cleanedPath, plainError, redirect, serveFiles } from "./serve-files.ts";

const flags = {
  www: {
    type: "string",
    shorthand: "w",
    help: "Directory whose files are served, too, below --www-prefix",
  },
  "www-prefix": {
    type: "string",
    shorthand: "P",
    default: "/static/",
    help: "Path below which the files of --www are served",
  },
  "api-prefix": { type: "string", default: "/", help: "Path below which the API is served" },
  "accept-paths": {
    type: "string",
    default: "^.*",
    help: "Regular expressions, separated by commas, for paths that are accepted",
  },
  "reject-paths": {
    type: "string",
    default: "^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach",
    help:
      "Regular expressions, separated by commas, for paths that are rejected, even if " +
      "--accept-paths accepts them",
  },
  "accept-hosts": {
    type: "string",
    default: "^localhost$,^127\\.0\\.0\\.1$,^\\[::1\\]$",
    help: "Regular expressions, separated by commas, for hosts that are accepted",
  },
  "reject-methods": {
    type: "string",
    default: "^$",
    help:
      "Regular expressions, separated by commas, for HTTP methods that are rejected " +
      "(--reject-methods='POST,PUT,PATCH')",
  },
  port: {
    type: "int",
    default: 8001,
    shorthand: "p",
    help: "Port to listen on. 0 for any free port",
  },
  address: { type: "string", default: "127.0.0.1", help: "IP address to listen on" },
  "disable-filter": {
    type: "bool",
    help:
      "Do not filter requests. This is dangerous: where others can reach the port, it " +
      "allows XSRF attacks",
  },
  "unix-socket": {
    type: "string",
    shorthand: "u",
    help: "Unix socket to listen on, instead of a port",
  },
  keepalive: {
    type: "duration",
    help: "Keep-alive period of network connections. 0 turns keep-alive off",
  },
  "append-server-path": {
    type: "bool",
    help: "Put the path of the server's URL in the kubeconfig before the path of each request",
  },
} satisfies FlagSet;

type ProxyInvocation = Invocation<typeof flags>;

/** `kubectl proxy`. */
export const proxy = command({
  usage: "proxy [--port=PORT] [--www=static-dir] [--www-prefix=prefix] [--api-prefix=prefix]",
  flags,
  run,
});

async function run({ flags }: ProxyInvocation, context: Context): Promise<void> {
  await context.cluster.selected();
  const socketPath = flags["unix-socket"];
  if (flags["disable-filter"] && socketPath === "") {
    warnLog(
      context,
      "Request filter disabled, your proxy is vulnerable to XSRF attacks, please be cautious",
    );
  }
  if (flags.port !== 8001 && socketPath !== "") {
    throw new CommandError("cannot set --unix-socket and --port at the same time");
  }
  warnOfMissingFiles(flags.www, context);
  const filter = flags["disable-filter"] ? undefined : requestFilter(flags, context);
  const server = createServer(
    (request, response) => void answer({ flags, filter }, request, response, context),
  );
  server.on(
    "upgrade",
    (request, socket, head) => void upgrade({ flags, filter }, { request, socket, head }, context),
  );
  const shown = await listen(server, flags, context);
  context.out.write(`Starting to serve on ${shown}\n`);
  await new Promise<void>((resolve) => {
    if (context.signal.aborted) resolve();
    context.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  server.closeAllConnections();
  server.close();
}

async function listen(
  server: Server,
  flags: ProxyInvocation["flags"],
  context: Context,
): Promise<string> {
  const socketPath = flags["unix-socket"];
  const target =
    socketPath === ""
      ? { host: flags.address, port: flags.port }
      : { path: context.path(socketPath) };
  if (socketPath !== "" && existsSync(context.path(socketPath)))
    unlinkSync(context.path(socketPath));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(target, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(listenFailure(error, flags), { cause: error });
  });
  if (socketPath !== "") return socketPath;
  const { address, port } = server.address() as { address: string; port: number };
  return `${address.includes(":") ? `[${address}]` : address}:${port}`;
}

async function answer(
  { flags, filter }: Proxying,
  request: IncomingMessage,
  response: ServerResponse,
  context: Context,
): Promise<void> {
  const { pathname, search } = targetOf(request);
  const prefix = slashed(flags["www-prefix"]);
  const isFile = flags.www !== "" && pathname.startsWith(prefix);
  try {
    const clean = flags.www !== "" && `${pathname}/` === prefix ? prefix : cleanedPath(pathname);
    if (clean !== undefined) redirect(response, `${clean}${search}`);
    else if (isFile) {
      const path = `/${pathname.slice(prefix.length)}`;
      await serveFiles({ folder: context.path(flags.www), path, search }, request, response);
    } else if (filter && !filter(request, pathname)) plainError(response, 403, "Forbidden");
    else if (
      pathname.startsWith(slashed(flags["api-prefix"])) ||
      `${pathname}/` === flags["api-prefix"]
    ) {
      const path = `/${pathname.slice(slashed(flags["api-prefix"]).length)}`;
      await forward(context, request, response, { path, search });
    } else plainError(response, 404, "404 page not found");
  } catch (error) {
    if (!response.headersSent) response.writeHead(502);
    response.end(`Error trying to reach service: ${messageOf(error)}`);
  }
}

/** The path as requested, and the query. */
function targetOf({ url = "/" }: IncomingMessage): { pathname: string; search: string } {
  const path = url.replace(/^https?:\/\/[^/]*/, "");
  const mark = path.indexOf("?");
  if (mark < 0) return { pathname: path, search: "" };
  return { pathname: path.slice(0, mark), search: path.slice(mark) };
}

const slashed = (prefix: string): string => (prefix.endsWith("/") ? prefix : `${prefix}/`);

/** The filter of requests. */
type Filter = (request: IncomingMessage, path: string) => boolean;

interface Proxying {
  readonly flags: ProxyInvocation["flags"];
  /** Undefined to accept all. */
  readonly filter: Filter | undefined;
}

function requestFilter(flags: ProxyInvocation["flags"], context: Context): Filter {
  const names = ["reject-paths", "reject-methods", "accept-paths", "accept-hosts"] as const;
  const [rejectPaths, rejectMethods, acceptPaths, acceptHosts] = names.map((name) => {
    const patterns = flags[name].split(",").map((pattern) => compiled(pattern, context));
    return (value: string): boolean => patterns.some((pattern) => pattern.test(value));
  }) as [Match, Match, Match, Match];
  return (request, escaped) => {
    const path = unescaped(escaped);
    return (
      !rejectPaths(path) &&
      !rejectMethods(request.method ?? "") &&
      acceptPaths(path) &&
      acceptHosts((request.headers.host ?? "").replace(/:\d+$/, ""))
    );
  };
}

/** A path as the server decodes it: another encoding can't bypass the filter. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

type Match = (value: string) => boolean;

function compiled(pattern: string, context: Context): RegExp {
  try {
    return new RegExp(pattern);
  } catch (error) {
    const reason = regexpFailures.find(([ours]) => messageOf(error).includes(ours))?.[1];
    const text = `error parsing regexp: ${reason ?? "invalid syntax"}: \`${pattern}\``;
    klog(context, "F", "proxy_server.go:83", `Error compiling re: ${text}`);
    throw new ExitError(255);
  }
}

/** V8's and Go's messages of the same errors in regular expressions. */
const regexpFailures: readonly (readonly [ours: string, upstream: string])[] = [
  ["Unterminated group", "missing closing )"],
  ["Unmatched ')'", "unexpected )"],
  ["Unterminated character class", "missing closing ]"],
  ["Nothing to repeat", "missing argument to repetition operator"],
];

function warnOfMissingFiles(folder: string, context: Context): void {
  if (folder === "" || existsSync(context.path(folder))) return;
  const reason = `stat ${folder}: no such file or directory`;
  klog(context, "W", "proxy.go:203", `Failed to stat static file directory ${folder}: ${reason}`);
}

/** Why the address can't be listened on, in Go's words. */
function listenFailure(error: NodeJS.ErrnoException, { address, port }: ProxyInvocation["flags"]) {
  if (error.code === "ERR_SOCKET_BAD_PORT") return `listen tcp: address ${port}: invalid port`;
  if (error.code === "ENOTFOUND") return `listen tcp: lookup ${address}: no such host`;
  if (error.code === "EADDRINUSE") {
    return `listen tcp ${address}:${port}: bind: address already in use`;
  }
  return error.message;
}

interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** exec, attach and port-forward: both connections are joined once the server has accepted the upgrade. */
async function upgrade(
  { flags, filter }: Proxying,
  { request, socket, head }: UpgradeRequest,
  context: Context,
): Promise<void> {
  socket.on("error", () => socket.destroy());
  const { pathname, search } = requestUrl(request);
  if (filter && !filter(request, pathname)) {
    socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 10\r\n\r\nForbidden\n");
    return;
  }
  try {
    const transport = await context.cluster.transport();
    await joinUpgrade(
      transport,
      {
        method: request.method ?? "GET",
        path: `/${pathname.slice(slashed(flags["api-prefix"]).length)}`,
        query: new URLSearchParams(search),
        headers: forwardedHeaders(request),
        signal: context.signal,
      },
      { headers: request.headers, socket, head },
    );
  } catch (error) {
    refuseUpgrade(socket, error instanceof StatusError ? error.code : 502, messageOf(error));
  }
}

/** Headers that belong to one connection. */
const ownHeaders = [
  "host",
  "connection",
  "authorization",
  "transfer-encoding",
  "content-length",
  "keep-alive",
];

function forwardedHeaders({ headers }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || ownHeaders.includes(name) ? [] : [[name, String(value)] as const],
  );
  return Object.fromEntries(entries);
}

async function forward(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
  { path, search }: { readonly path: string; readonly search: string },
): Promise<void> {
  const transport = await context.cluster.transport();
  const { "content-length": length, "transfer-encoding": coding } = request.headers;
  const hasBody = coding !== undefined || Number(length ?? 0) > 0;
  const stop = new AbortController();
  response.once("close", () => stop.abort());
  const { status, headers, chunks } = await transport.stream({
    method: request.method ?? "GET",
    path,
    query: new URLSearchParams(search),
    headers: {
      ...forwardedHeaders(request),
      ...(hasBody && length !== undefined ? { "content-length": length } : {}),
    },
    signal: AbortSignal.any([stop.signal, context.signal]),
    ...(hasBody ? { body: request } : {}),
  });
  const kept = Object.entries(headers).filter(([name]) => !ownHeaders.includes(name));
  response.writeHead(status, Object.fromEntries(kept));
  for await (const chunk of chunks) response.write(chunk);
  response.end();
}
