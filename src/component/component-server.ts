/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/server (as kube-scheduler and kube-controller-manager
 * use it).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { TLSSocket } from "node:tls";
import type { Client } from "#/client/client.ts";
import { forbiddenRequest } from "#/machinery/meta/forbidden-request.ts";
import { internalError, StatusError } from "#/machinery/meta/status-error.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { logger } from "#/std/log/log.ts";
import { answerCheck, answerChecks, type HealthCheck, pingCheck } from "#/std/metrics/health.ts";
import { HealthMetrics } from "#/std/metrics/health-metrics.ts";
import type { Registry } from "#/std/metrics/metrics.ts";
import { metricsContentType } from "#/std/metrics/metrics-text.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { tlsSettings } from "#/std/tls/tls-settings.ts";
import { authoritiesOfCluster, authoritiesOfFile } from "./client-authorities.ts";
import { ComponentPages } from "./component-pages.ts";
import type { ComponentServerFlags } from "./component-server-flags.ts";
import { type AuthenticatedUser, DelegatedAuthentication } from "./delegated-authentication.ts";
import { DelegatedAuthorization } from "./delegated-authorization.ts";
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
  readonly clock?: Clock;
}

export interface ComponentReply {
  readonly status?: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
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
  const authentication = new DelegatedAuthentication({
    client,
    clientAuthorities: authorities(flags, { client, clock, opening, signal: stop.signal }),
    cacheTtlMs: flags["authentication-token-webhook-cache-ttl"],
    clock,
  });
  const authorization = new DelegatedAuthorization({
    client,
    authorizedTtlMs: flags["authorization-webhook-cache-authorized-ttl"],
    unauthorizedTtlMs: flags["authorization-webhook-cache-unauthorized-ttl"],
    clock,
  });
  const gate = new Gate(authentication, authorization, flags["authorization-always-allow-paths"]);
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

function authorities(
  flags: ComponentServerFlags,
  given: {
    readonly client: Client;
    readonly clock: Clock;
    readonly opening: AsyncDisposableStack;
    readonly signal: AbortSignal;
  },
): NonNullable<ConstructorParameters<typeof DelegatedAuthentication>[0]["clientAuthorities"]> {
  if (flags["client-ca-file"] !== "") {
    const file = given.opening.use(authoritiesOfFile(flags["client-ca-file"], given.clock));
    return () => file.value;
  }
  if (flags["authentication-skip-lookup"]) return () => undefined;
  return authoritiesOfCluster(given.client, given.signal);
}

/** Authenticates and authorizes requests. */
class Gate {
  readonly #authentication: DelegatedAuthentication;
  readonly #authorization: DelegatedAuthorization;
  readonly #open: readonly string[];

  constructor(
    authentication: DelegatedAuthentication,
    authorization: DelegatedAuthorization,
    open: readonly string[],
  ) {
    this.#authentication = authentication;
    this.#authorization = authorization;
    this.#open = open;
  }

  /** Throws a StatusError if the request is not authorized. */
  async check(request: IncomingMessage, path: string): Promise<void> {
    const { authorization } = request.headers;
    const certificates = certificatesOf(request.socket as TLSSocket);
    const user = await this.#authentication.authenticate({ authorization, certificates });
    if (this.#isOpen(path)) return;
    const verb = (request.method ?? "GET").toLowerCase();
    const { allowed, reason } = await this.#decide(user, verb, path);
    if (!allowed) throw forbiddenRequest({ user: user.name, verb, path }, reason);
  }

  async #decide(user: AuthenticatedUser, verb: string, path: string) {
    return this.#authorization.authorize({ user, nonResource: { path, verb } });
  }

  #isOpen(path: string): boolean {
    return this.#open.some((open) =>
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
  return (url, request) => answers.get(url.pathname)?.(url, request) ?? pages.answer(url, request);
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
  const url = new URL(request.url ?? "/", "https://component");
  try {
    await gate.check(request, url.pathname);
    const reply = await answers(url, request);
    send(response, reply ?? { status: 404, body: "404 page not found\n" });
  } catch (error) {
    if (!(error instanceof StatusError))
      log.error(error, "failed to handle request", { path: url.pathname });
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
