/** Upstream: staging/src/k8s.io/apiserver/pkg/util/webhook/webhook.go. */
import type { Agent as PlainAgent } from "node:http";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import { formatDuration } from "#/std/go/duration.ts";
import { type Backoff, exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";
import { trustOf } from "#/std/tls/trust.ts";
import { type Dial, httpAgent, httpsAgent } from "../egress/egress.ts";
import { encodeInTurns } from "./encode-in-turns.ts";
import { atPath, decodedPath, type GoUrl, parseUrl } from "./go-url.ts";
import type { HttpAnswer } from "./http-call.ts";
import { readAnswer } from "./read-answer.ts";
import { callRest, contentOf } from "./rest-call.ts";
import type { WebhookEndpoint } from "./webhook-kubeconfig.ts";

/** Upstream: staging/src/k8s.io/apiserver/pkg/server/options/authentication.go, DefaultAuthWebhookRetryBackoff. */
const attempts = 5;
const defaultBackoff = exponentialBackoff({ baseMs: 500, maxMs: 10_000, factor: 1.5, jitter: 0.2 });
/** Statuses after which the call is retried: an internal error, a timeout, too many requests. */
const passing = new Set(["InternalError", "Timeout", "TooManyRequests"]);

interface WebhookClientOptions {
  readonly endpoint: WebhookEndpoint;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly backoff?: Backoff;
  /** Makes connections; default is direct ones. */
  readonly dial?: Dial | undefined;
}

/** Sends reviews to a webhook over kept connections; retries after temporary errors. */
export class WebhookClient {
  readonly #options: WebhookClientOptions;
  readonly #agents: { readonly plain: PlainAgent; readonly secure: PlainAgent };
  readonly #url: GoUrl;

  constructor(options: WebhookClientOptions) {
    this.#options = options;
    const server = parseUrl(options.endpoint.url);
    if (!server) throw new Error(`${options.endpoint.url} is no URL of a webhook`);
    // The webhook gets the timeout in the query.
    const query = `timeout=${formatDuration(options.timeoutMs)}`;
    this.#url = atPath(server, decodedPath(server.target), query);
    const { ca, cert, key, servername, rejectUnauthorized } = options.endpoint;
    const tls = {
      rejectUnauthorized,
      ...(ca ? { trust: trustOf(ca) } : {}),
      ...(cert ? { cert } : {}),
      ...(key ? { key } : {}),
      ...(servername ? { servername } : {}),
    };
    this.#agents = {
      plain: httpAgent({ keepAlive: true }, options.dial),
      secure: httpsAgent({ keepAlive: true, ...tls }, options.dial),
    };
  }

  /** The webhook's response to an object; throws if there is none. */
  async post(object: object): Promise<unknown> {
    return readAnswer(contentOf(await this.send(object)));
  }

  /** Sends an object; the response may be empty. */
  async send(object: object): Promise<HttpAnswer> {
    const body = await encodeInTurns(object);
    const backoff = this.#options.backoff ?? defaultBackoff;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#postOnce(body);
      } catch (error) {
        if (attempt === attempts || !mayPass(error)) throw error;
        await this.#options.clock.sleep(backoff(attempt));
      }
    }
  }

  async #postOnce(body: Buffer): Promise<HttpAnswer> {
    const { endpoint, timeoutMs, clock } = this.#options;
    const abort = new AbortController();
    using _ = clock.setTimer(timeoutMs, () => abort.abort(), { keepAlive: false });
    try {
      return await callRest({
        url: this.#url,
        headers: {
          "content-type": "application/json",
          accept: "application/json, */*",
          ...(endpoint.authorization ? { authorization: endpoint.authorization } : {}),
        },
        body,
        agent: (secure) => (secure ? this.#agents.secure : this.#agents.plain),
        signal: abort.signal,
        late: "context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
        clock,
      });
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      throw new WebhookTimeout((error as Error).message, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    this.#agents.plain.destroy();
    this.#agents.secure.destroy();
  }
}

/** A webhook did not respond in time. */
export class WebhookTimeout extends Error {
  override readonly name = "WebhookTimeout";
}

/** Whether a retry may succeed. */
function mayPass(error: unknown): boolean {
  if (isStatusError(error)) {
    const { reason = "", details } = error.status;
    return passing.has(reason) || details?.retryAfterSeconds !== undefined;
  }
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code === "ECONNRESET";
}
