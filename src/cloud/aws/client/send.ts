import type { IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { request as requestHttp } from "#/std/net/node-http.ts";

/** Time limit of one request (ms), as upstream's client has. */
const timeoutMs = 30_000;

/** Limit of a response (bytes): a page of 1,000 instances has about 8 MiB. */
const maxBodyBytes = 64 * 2 ** 20;

interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Default 30 s. */
  readonly timeoutMs?: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Sends a request; replaceable in tests. Rejects with a SendError, or with the signal's reason. */
export type Send = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** No response arrived. The message is close to the words of upstream's HTTP client. */
export class SendError extends Error {
  override readonly name = "SendError";
  readonly isTimeout: boolean;
  constructor(message: string, isTimeout: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isTimeout = isTimeout;
  }
}

/** Sends over HTTP or HTTPS, with Node's pool of connections. */
export const sendOverNetwork: Send = async (request, signal) => {
  const limit = AbortSignal.timeout(request.timeoutMs ?? timeoutMs);
  try {
    return await exchange(request, AbortSignal.any([signal, limit]));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new SendError(describeFailure(request, error, limit.aborted), limit.aborted, {
      cause: error,
    });
  }
};

function exchange(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
  const start = request.url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = start(
      request.url,
      { method: request.method, headers: { ...request.headers }, signal },
      (response) => {
        readBody(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          reject,
        );
      },
    );
    sent.once("error", reject);
    sent.end(request.body);
  });
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) {
      response.destroy();
      throw new Error(`response of more than ${maxBodyBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** `Post "http://127.0.0.1:9/": dial tcp 127.0.0.1:9: connect: connection refused`. */
function describeFailure(request: HttpRequest, error: unknown, isTimeout: boolean): string {
  const verb = request.method[0] + request.method.slice(1).toLowerCase();
  const prefix = `${verb} "${request.url.href}": `;
  if (isTimeout) {
    return `${prefix}context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;
  }
  const { code, address, port, hostname, message } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
    readonly hostname?: string;
  };
  const target = address?.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
  switch (code) {
    case "ECONNREFUSED":
      return `${prefix}dial tcp ${target}: connect: connection refused`;
    case "ENOTFOUND":
      return `${prefix}dial tcp: lookup ${hostname}: no such host`;
    case "ECONNRESET":
      return `${prefix}EOF`;
    default:
      return `${prefix}${message}`;
  }
}
