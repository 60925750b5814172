import type { IncomingMessage, Agent as PlainAgent } from "node:http";
import { type Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type Backoff, exponentialBackoff } from "#/std/backoff.ts";
import type { Clock } from "#/std/clock.ts";
import { dialFailure } from "#/std/dial-failure.ts";
import { formatDuration } from "#/std/duration.ts";
import { goQuote } from "#/std/go-quote.ts";
import { request as httpRequest } from "#/std/node-http.ts";
import { type Dial, httpAgent, httpsAgent } from "../../egress/egress.ts";
import type { WebhookEndpoint } from "./webhook-kubeconfig.ts";

/** Answers over this are not a review. */
const maxAnswerBytes = 3 * 1024 * 1024;
/** Upstream: apiserver/pkg/server/options/authentication.go, DefaultAuthWebhookRetryBackoff. */
const attempts = 5;
const defaultBackoff = exponentialBackoff({ baseMs: 500, maxMs: 10_000, factor: 1.5, jitter: 0.2 });

export interface WebhookClientOptions {
  readonly endpoint: WebhookEndpoint;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly backoff?: Backoff;
  /** Makes connections; default directly. */
  readonly dial?: Dial | undefined;
}

/** Sends reviews to a webhook over connections that stay open; tries again where that may help. */
export class WebhookClient {
  readonly #options: WebhookClientOptions;
  readonly #agent: PlainAgent | HttpsAgent;
  readonly #url: URL;

  constructor(options: WebhookClientOptions) {
    this.#options = options;
    this.#url = new URL(options.endpoint.url);
    // The webhook is told how long it may take.
    this.#url.searchParams.set("timeout", formatDuration(options.timeoutMs));
    const { ca, cert, key, servername, rejectUnauthorized } = options.endpoint;
    this.#agent =
      this.#url.protocol === "https:"
        ? httpsAgent(
            {
              keepAlive: true,
              rejectUnauthorized,
              ...(ca ? { ca } : {}),
              ...(cert ? { cert } : {}),
              ...(key ? { key } : {}),
              ...(servername ? { servername } : {}),
            },
            options.dial,
          )
        : httpAgent({ keepAlive: true }, options.dial);
  }

  /** The webhook's answer to an object; throws when there is none. */
  async post(object: object): Promise<unknown> {
    const body = Buffer.from(JSON.stringify(object));
    const backoff = this.#options.backoff ?? defaultBackoff;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#postOnce(body);
      } catch (error) {
        if (attempt === attempts || !(error as WebhookCallError).mayPass) throw error;
        await this.#options.clock.sleep(backoff(attempt));
      }
    }
  }

  #postOnce(body: Buffer): Promise<unknown> {
    const { endpoint, timeoutMs } = this.#options;
    const send = this.#url.protocol === "https:" ? httpsRequest : httpRequest;
    const headers = {
      "content-type": "application/json",
      accept: "application/json",
      "content-length": body.length,
      ...(endpoint.authorization ? { authorization: endpoint.authorization } : {}),
    };
    const signal = AbortSignal.timeout(timeoutMs);
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(this.#failure(error));
      const outgoing = send(this.#url, { method: "POST", agent: this.#agent, headers, signal });
      outgoing.on("error", fail);
      outgoing.on("response", (response) => readAnswer(response).then(resolve, fail));
      outgoing.end(body);
    });
  }

  /** What went wrong, in the words of Go's client. */
  #failure(error: NodeJS.ErrnoException): WebhookCallError {
    if (error instanceof WebhookCallError) return error;
    const isTimeout = error.code === "ABORT_ERR";
    const { href, hostname, port, protocol } = this.#url;
    const address = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
    const why = isTimeout ? late : dialFailure(error, address);
    const outcome = { isTimeout, mayPass: error.code === "ECONNRESET" };
    return new WebhookCallError(`Post ${goQuote(href)}: ${why}`, outcome, { cause: error });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

const late = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";

/** A webhook gave no answer, or none that is a review. */
export class WebhookCallError extends Error {
  readonly isTimeout: boolean;
  /** Asking again may help. */
  readonly mayPass: boolean;

  constructor(
    message: string,
    { isTimeout = false, mayPass = false }: { isTimeout?: boolean; mayPass?: boolean } = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.isTimeout = isTimeout;
    this.mayPass = mayPass;
  }
}

async function readAnswer(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxAnswerBytes) {
      response.destroy();
      throw new WebhookCallError("the webhook's answer is too large");
    }
    chunks.push(chunk);
  }
  const { statusCode: status = 0, headers } = response;
  if (status >= 200 && status < 300) return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  const mayPass = status === 500 || status === 429 || headers["retry-after"] !== undefined;
  throw new WebhookCallError(`the webhook answered ${status}`, { mayPass });
}
