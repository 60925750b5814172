import type { Duplex } from "node:stream";
import { type HttpResponse, ResponseReader } from "./response-reader.ts";

/** A request; lists of header values are sent as separate headers. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, escaped. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string | undefined;
}

/**
 * Sends a request on an idle connection, and resolves with the whole response. Rejects when the
 * connection ends before; a caller that stops waiting destroys the connection.
 */
export async function exchange(socket: Duplex, request: HttpRequest): Promise<HttpResponse> {
  const message = formatRequest(request);
  const reader = new ResponseReader(request.method);
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const read = (bytes: Buffer): void => {
    try {
      const response = reader.push(bytes);
      if (response) resolve(response);
    } catch (error) {
      reject(error);
    }
  };
  const close = (): void => {
    const response = reader.end();
    if (response) resolve(response);
    else reject(Object.assign(new Error("unexpected EOF"), { code: "ECONNRESET" }));
  };
  socket.on("data", read).on("error", reject).on("close", close);
  socket.write(message);
  let keeps = false;
  try {
    const response = await promise;
    keeps = response.keepsConnection;
    return response;
  } finally {
    socket.off("data", read).off("error", reject).off("close", close);
    if (!keeps) socket.destroy();
  }
}

function formatRequest({ method, target, headers, body }: HttpRequest): Buffer {
  if (/[^!-~\u0080-\u{10ffff}]/u.test(target)) throw new Error("invalid character in URL path");
  const lines = [`${method} ${target} HTTP/1.1`];
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) {
      if (/[^\t -~\u0080-\u{10ffff}]/u.test(value)) throw new Error(invalidValue(name));
      lines.push(`${name}: ${value}`);
    }
  }
  if (body === undefined) return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
  lines.push(`content-length: ${Buffer.byteLength(body)}`);
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), Buffer.from(body)]);
}

const invalidValue = (name: string): string =>
  `net/http: invalid header field value for "${name.replace(/(?<=^|-)[a-z]/g, (first) => first.toUpperCase())}"`;
