/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/server (as kube-scheduler and kube-controller-manager
 * use it).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { TLSSocket } from "node:tls";
import type { ResourceAttributes } from "#/api/authorization/v1.ts";
import type { Client } from "#/client/client.ts";
import { forbiddenRequest } from "#/machinery/meta/forbidden-request.ts";
import { badRequest, internalError, StatusError } from "#/machinery/meta/status-error.ts";
import { lazily } from "#/std/base/lazily.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { logger } from "#/std/log/log.ts";
import { answerCheck, answerChecks, type HealthCheck, pingCheck } from "#/std/metrics/health.ts";
import { HealthMetrics } from "#/std/metrics/health-metrics.ts";
import type { Registry } from "#/std/metrics/metrics.ts";
import { metricsContentType } from "#/std/metrics/metrics-text.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { tlsSettings } from "#/std/tls/tls-settings.ts";
import type { Certificate } from "#/std/x509/certificate.ts";
import {
  authenticationOfCluster,
  authoritiesOfFile,
  type PublishedAuthentication,
} from "./client-authorities.ts";
import { ComponentPages } from "./component-pages.ts";
import type { ComponentServerFlags } from "./component-server-flags.ts";
import { type AuthenticatedUser, DelegatedAuthentication } from "./delegated-authentication.ts";
import { DelegatedAuthorization } from "./delegated-authorization.ts";
import type { FrontProxy } from "./front-proxy.ts";
import { openServingCertificate } from "./serving-certificate.ts";

interface ComponentServerOptions {
  /** The component's name. */
  readonly name: string;
  /** The content of /flagz: the values of all flags. */
  readonly flagTexts: Readonly<Record<string, string>>;
  /** Reviews tokens and access. */
  readonly client: Client;
  readonly flags: ComponentServerFlags;
  readonly metrics?: Registry | undefined;
  /** The content of /configz: each configuration by its group. */
  readonly configz?: (() => object) | undefined;
  /** Health checks besides ping. */
  readonly healthz?: readonly HealthCheck[];
  /** Readiness checks besides ping; default those of healthz. */
  readonly readyz?: readonly HealthCheck[];
  /** Further paths. */
  readonly paths?: Readonly<Record<string, (request: IncomingMessage) => ComponentReply>>;
  /** An API that it serves behind the API server's aggregator. */
  readonly api?: ComponentApi;
  readonly clock?: Clock;
}

/** An API of a component: its users are those that the aggregator forwards, or its own clients. */
export interface ComponentApi {
  /** What a request does to which resource; undefined for paths without one. */
  attributesOf(url: URL, method: string): ResourceAttributes | undefined;
  /** The reply; undefined for an unknown path. Throws StatusErrors. */
  answer(url: URL, request: IncomingMessage): ComponentReply | undefined;
}

export interface ComponentReply {
  readonly status?: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface ComponentServer extends AsyncDisposable {
  readonly port: number;
}

const log = logger("component-server");

type Answer = (url: URL, request: IncomingMessage) => MaybePromise<ComponentReply>;

/** Answers a request; undefined for an unknown path. */
type Answers = (...asked: Parameters<Answer>) => ReturnType<Answer> | undefined;

/**
 * Serves a component's health, metrics and configuration over HTTPS. Requests are authenticated and
 * authorized by the API server; health is open to everyone (--authorization-always-allow-paths).
 */
export async function serveComponent(options: ComponentServerOptions): Promise<ComponentServer> {
  const { flags, client, clock = systemClock } = options;
  await using opening = new AsyncDisposableStack();
  const stop = new AbortController();
  opening.defer(() => stop.abort());
  const certificate = opening.use(
    openServingCertificate(
      { certFile: flags["tls-cert-file"], keyFile: flags["tls-private-key-file"] },
      clock,
    ),
  );
  const published = lazily(() => authenticationOfCluster(client, stop.signal));
  const authentication = new DelegatedAuthentication({
    client,
    clientAuthorities: authorities(flags, { published, clock, opening }),
    frontProxy: options.api && frontProxy(flags, { published, clock, opening }),
    cacheTtlMs: flags["authentication-token-webhook-cache-ttl"],
    clock,
  });
  const authorization = new DelegatedAuthorization({
    client,
    authorizedTtlMs: flags["authorization-webhook-cache-authorized-ttl"],
    unauthorizedTtlMs: flags["authorization-webhook-cache-unauthorized-ttl"],
    clock,
  });
  const gate = new Gate({
    authentication,
    authorization,
    open: flags["authorization-always-allow-paths"],
    api: options.api,
  });
  const answers = answersOf(options);
  const tls = () => ({ ...tlsSettings(flags), ...certificate.current });
  const server = createServer(
    { ...tls(), requestCert: true, rejectUnauthorized: false },
    (request, response) => void serve(request, response, gate, answers),
  );
  certificate.onChange(() => server.setSecureContext(tls()));
  opening.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const port = await listen(server, flags["secure-port"], flags["bind-address"]);
  const stack = opening.move();
  return { port, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

interface AuthorityOptions {
  readonly published: () => PublishedAuthentication;
  readonly clock: Clock;
  readonly opening: AsyncDisposableStack;
}

function authorities(
  flags: ComponentServerFlags,
  { published, clock, opening }: AuthorityOptions,
): () => readonly Certificate[] | undefined {
  if (flags["client-ca-file"] !== "") {
    const file = opening.use(authoritiesOfFile(flags["client-ca-file"], clock));
    return () => file.value;
  }
  if (flags["authentication-skip-lookup"]) return () => undefined;
  return published().clientAuthorities;
}

function frontProxy(
  flags: ComponentServerFlags,
  { published, clock, opening }: AuthorityOptions,
): () => FrontProxy | undefined {
  const path = flags["requestheader-client-ca-file"];
  if (path !== "") {
    const file = opening.use(authoritiesOfFile(path, clock));
    return () => ({
      authorities: file.value,
      allowedNames: flags["requestheader-allowed-names"],
      usernameHeaders: flags["requestheader-username-headers"],
      uidHeaders: flags["requestheader-uid-headers"],
      groupHeaders: flags["requestheader-group-headers"],
      extraPrefixes: flags["requestheader-extra-headers-prefix"],
    });
  }
  if (flags["authentication-skip-lookup"]) return () => undefined;
  return published().frontProxy;
}

interface GateOptions {
  readonly authentication: DelegatedAuthentication;
  readonly authorization: DelegatedAuthorization;
  /** Paths that need no authorization. */
  readonly open: readonly string[];
  readonly api: ComponentApi | undefined;
}

/** Authenticates and authorizes requests. */
class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Throws a StatusError if the request is not authorized. */
  async check(request: IncomingMessage, url: URL): Promise<void> {
    const { authentication, api } = this.#options;
    const user = await authentication.authenticate({
      authorization: request.headers.authorization,
      certificates: certificatesOf(request.socket as TLSSocket),
      headers: api && request.headersDistinct,
    });
    const path = url.pathname;
    if (this.#isOpen(path)) return;
    const attributes = api?.attributesOf(url, request.method ?? "GET");
    if (attributes) return await this.#checkResource(user, attributes);
    const verb = (request.method ?? "GET").toLowerCase();
    const { allowed, reason } = await this.#options.authorization.authorize({
      user,
      nonResource: { path, verb },
    });
    if (!allowed) throw forbiddenRequest({ user: user.name, verb, path }, reason);
  }

  async #checkResource(user: AuthenticatedUser, attributes: ResourceAttributes): Promise<void> {
    const { allowed, reason } = await this.#options.authorization.authorize({
      user,
      resource: attributes,
    });
    if (allowed) return;
    const { verb = "", group = "", resource: name = "", subresource, namespace } = attributes;
    const denied = {
      user: user.name,
      verb,
      resource: { group, name },
      ...(subresource ? { subresource } : {}),
      ...(namespace ? { namespace } : {}),
      ...(attributes.name ? { name: attributes.name } : {}),
    };
    throw forbiddenRequest(denied, reason);
  }

  #isOpen(path: string): boolean {
    return this.#options.open.some((open) =>
      open.endsWith("*") ? path.startsWith(open.slice(0, -1)) : path === open,
    );
  }
}

function answersOf(options: ComponentServerOptions): Answers {
  const { metrics, configz, healthz = [], readyz = healthz, paths = {} } = options;
  const answers = new Map<string, Answer>();
  const slis = new HealthMetrics();
  const failed = (name: string, error: unknown) =>
    log.error(error, "health check failed", { name });
  for (const [endpoint, checks] of [
    ["healthz", [pingCheck, ...healthz]],
    ["livez", [pingCheck, ...healthz]],
    ["readyz", [pingCheck, ...readyz]],
  ] as const) {
    const counted = slis.counted(endpoint, checks);
    answers.set(`/${endpoint}`, async ({ searchParams }) => {
      const { status, text } = await answerChecks(endpoint, counted, searchParams, failed);
      return { status, body: text };
    });
    for (const check of checks) {
      answers.set(`/${endpoint}/${check.name}`, async () => {
        const { status, text } = await answerCheck(check, failed);
        return { status, body: text };
      });
    }
  }
  if (metrics) {
    answers.set("/metrics", metricsAnswer(metrics));
    answers.set("/metrics/slis", metricsAnswer(slis));
  }
  if (configz) {
    const show = () => ({ contentType: "application/json", body: JSON.stringify(configz()) });
    answers.set("/configz", show);
  }
  for (const [path, answer] of Object.entries(paths)) {
    answers.set(path, (_url, request) => answer(request));
  }
  const pages = new ComponentPages({
    name: options.name,
    flagTexts: options.flagTexts,
    paths: [...answers.keys()],
    clock: options.clock ?? systemClock,
  });
  return (url, request) =>
    answers.get(url.pathname)?.(url, request) ??
    options.api?.answer(url, request) ??
    pages.answer(url, request);
}

/** Serves metrics; a DELETE resets them. */
function metricsAnswer(metrics: Pick<HealthMetrics, "expose" | "restart">): Answer {
  return (_url, { method }) => {
    if (method === "DELETE") {
      metrics.restart();
      return { body: "metrics reset\n" };
    }
    return { contentType: metricsContentType, body: [...metrics.expose()].join("") };
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  gate: Gate,
  answers: Answers,
): Promise<void> {
  const { url: target = "/" } = request;
  try {
    // "//" is no URL.
    const url = URL.parse(target, "https://component");
    if (!url) throw badRequest(`invalid path ${goQuote(target)}`);
    await gate.check(request, url);
    const reply = await answers(url, request);
    send(response, reply ?? { status: 404, body: "404 page not found\n" });
  } catch (error) {
    if (!(error instanceof StatusError))
      log.error(error, "failed to handle request", { path: target });
    const cause = error instanceof Error ? error : new Error(String(error));
    const { status } = error instanceof StatusError ? error : internalError(cause);
    const code = status.code ?? 500;
    send(response, {
      status: code,
      contentType: "application/json",
      body: `${JSON.stringify(status)}\n`,
    });
  }
}

function send(response: ServerResponse, reply: ComponentReply): void {
  const { status = 200, contentType = "text/plain; charset=utf-8", body } = reply;
  response.writeHead(status, {
    "content-type": contentType,
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache, private",
    ...reply.headers,
  });
  response.end(body);
}

/** The chain that the client has sent, its own certificate first. */
function certificatesOf(socket: TLSSocket): Uint8Array[] {
  const chain: Uint8Array[] = [];
  let next = socket.getPeerCertificate(true);
  while (next?.raw) {
    chain.push(next.raw);
    if (next.issuerCertificate === next || !next.issuerCertificate) break;
    next = next.issuerCertificate;
  }
  return chain;
}

function listen(
  server: ReturnType<typeof createServer>,
  port: number,
  address: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => {
      server.off("error", reject);
      const bound = server.address();
      resolve(typeof bound === "object" && bound ? bound.port : port);
    });
  });
}
