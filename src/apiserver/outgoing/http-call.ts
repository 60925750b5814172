/** Upstream: Go's net/http, transport.go. */
import type { ClientRequest, IncomingMessage, Agent as PlainAgent } from "node:http";
import { request as secureRequest } from "node:https";
import { gunzipSync } from "node:zlib";
import { goQuote } from "#/std/go/go-quote.ts";
import { request as plainRequest } from "#/std/net/node-http.ts";
import type { GoUrl } from "./go-url.ts";

/** Limit of a response (bytes): no response of a webhook is nearly as large. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** Destination of a connection. */
export interface Destination {
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
}

export interface HttpCall {
  readonly method: "GET" | "POST";
  readonly url: GoUrl;
  readonly destination: Destination;
  readonly agent: PlainAgent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly content: Uint8Array;
}

/** A response was incomplete or invalid. The message is that of client-go. */
export class BrokenAnswer extends Error {
  override readonly name = "BrokenAnswer";

  constructor(reason: string, options?: ErrorOptions) {
    super(
      `unexpected error when reading response body. Please retry. Original error: ${reason}`,
      options,
    );
  }
}

/** Sends a request; retries once if the server had just closed the kept connection. */
export async function exchangeHttp(call: HttpCall): Promise<HttpAnswer> {
  try {
    return await exchangeOnce(call);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return exchangeOnce(call);
  }
}

class StaleConnection extends Error {}

async function exchangeOnce(call: HttpCall): Promise<HttpAnswer> {
  const response = await headOf(call);
  const bytes = await readBody(response);
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, value?.toString()]),
  );
  const content = headers["content-encoding"] === "gzip" ? unzip(bytes) : bytes;
  return { status: response.statusCode ?? 0, headers, content };
}

function headOf(call: HttpCall): Promise<IncomingMessage> {
  const { method, url, destination, agent, headers, body, signal } = call;
  const send = url.secure ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = send({
      method,
      host: destination.host,
      port: destination.port,
      path: url.target,
      agent,
      signal,
      headers: {
        host: url.authority,
        ...headers,
        ...(body ? { "content-length": body.length } : {}),
        "accept-encoding": "gzip",
      },
    });
    sent.on("error", (error: Error & { code?: string; rawPacket?: Buffer }) => {
      const stale = sent.reusedSocket && error.code === "ECONNRESET";
      reject(stale ? new StaleConnection(error.message) : malformed(error));
    });
    sent.on("response", resolve);
    sent.end(body);
  });
}

/** Go's error for a response that is not HTTP. */
function malformed(error: Error & { code?: string; rawPacket?: Buffer }): Error {
  const { code = "", rawPacket } = error;
  if (!code.startsWith("HPE_") || !rawPacket) return error;
  const [line = ""] = rawPacket.toString("latin1").split(/\r?\n/, 1);
  const text = `net/http: HTTP/1.x transport connection broken: malformed HTTP response ${goQuote(line)}`;
  return new Error(text, { cause: error });
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxAnswerBytes) throw new BrokenAnswer("the answer is too large");
      chunks.push(chunk);
    }
  } catch (error) {
    const { code = "", name } = error as Error & { code?: string };
    if (error instanceof BrokenAnswer || name === "AbortError") throw error;
    throw new BrokenAnswer(code === "ECONNRESET" ? "unexpected EOF" : (error as Error).message, {
      cause: error,
    });
  }
  return Buffer.concat(chunks);
}

function unzip(bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: maxAnswerBytes });
  } catch (error) {
    throw new BrokenAnswer(gzipFailure(bytes, error as NodeJS.ErrnoException), { cause: error });
  }
}

/** Length of the header of gzip (bytes). */
const gzipHeaderBytes = 10;

/** Go's error for invalid gzip. Upstream: Go's compress/gzip, gunzip.go. */
function gzipFailure(bytes: Buffer, { code = "", message }: NodeJS.ErrnoException): string {
  if (bytes.length < gzipHeaderBytes || code === "Z_BUF_ERROR") return "unexpected EOF";
  if (message.includes("header")) return "gzip: invalid header";
  return message.includes("check") ? "gzip: invalid checksum" : "flate: corrupt input";
}
