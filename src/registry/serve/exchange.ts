import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

/** A request to a registry, and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

type Headers = Readonly<Record<string, string | number>>;

/** Answers with headers, and a body unless the request is HEAD. */
export function answer(
  { request, response }: Exchange,
  status: number,
  headers: Headers = {},
  body?: string | Buffer,
): void {
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  response.writeHead(status, {
    "docker-distribution-api-version": "registry/2.0",
    ...(status === 204 ? {} : { "content-length": length }),
    ...headers,
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

export const answerJson = (exchange: Exchange, value: object, headers: Headers = {}): void =>
  answer(
    exchange,
    200,
    { "content-type": "application/json", ...headers },
    `${JSON.stringify(value)}\n`,
  );

/** Answers with content as it is read, no faster than the client takes it. */
export async function answerStream(
  { response }: Exchange,
  status: number,
  headers: Headers,
  content: AsyncIterable<Buffer>,
): Promise<void> {
  response.writeHead(status, { "docker-distribution-api-version": "registry/2.0", ...headers });
  await pipeline(content, response);
}
