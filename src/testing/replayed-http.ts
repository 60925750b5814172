import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createServer, request as sendRequest } from "#/std/net/node-http.ts";

/** One recorded request with the answers that it got, in turn. */
export interface RecordedExchange {
  readonly request: string;
  readonly answers: { readonly status: number; readonly body: string }[];
}

export interface ReplayedHttp extends AsyncDisposable {
  readonly url: string;
  /** All requests so far: the pairs of their forms, sorted. */
  readonly requests: readonly string[];
  /** What was recorded; in a replay, what was given. */
  readonly exchanges: readonly RecordedExchange[];
}

/**
 * A server that answers forms as it is recorded, each request with its answers in turn and the last one from then on.
 * With `origin` it passes requests on to that server and records them.
 */
export async function replayHttp(
  recorded: readonly RecordedExchange[],
  {
    origin,
    answer,
    correct = (text) => text,
  }: {
    readonly origin?: string | undefined;
    readonly answer?: (form: URLSearchParams) => string | undefined;
    /** Corrects what the origin answers before it is recorded. */
    readonly correct?: (body: string) => string;
  },
): Promise<ReplayedHttp> {
  const requests: string[] = [];
  const exchanges = new Map(recorded.map((each) => [each.request, each]));
  if (origin !== undefined) exchanges.clear();
  const counts = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    const key = [...new URLSearchParams(body)]
      .map((pair) => pair.join("="))
      .sort()
      .join("&");
    requests.push(key);
    const own = answer?.(new URLSearchParams(body));
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    const given =
      origin !== undefined && own === undefined
        ? await pass(origin, request.headers, body)
        : undefined;
    if (given) {
      const exchange = exchanges.get(key) ?? { request: key, answers: [] };
      exchange.answers.push({ ...given, body: correct(given.body) });
      exchanges.set(key, exchange);
    }
    const answers = exchanges.get(key)?.answers ?? [];
    const chosen =
      own === undefined ? answers[Math.min(count, answers.length - 1)] : { status: 200, body: own };
    response.writeHead(chosen?.status ?? 500);
    response.end(chosen?.body ?? `not recorded: ${key}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get exchanges() {
      return [...exchanges.values()];
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function pass(origin: string, headers: object, body: string) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sent = sendRequest(origin, { method: "POST", headers: { ...headers } }, (response) => {
      buffer(response).then(
        (bytes) =>
          resolve({
            status: response.statusCode ?? 0,
            body: bytes.toString().replace(/>\s+</g, "><"),
          }),
        reject,
      );
    });
    sent.once("error", reject);
    sent.end(body);
  });
}
