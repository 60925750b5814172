import { request } from "node:https";
import { text } from "node:stream/consumers";

interface Asked {
  readonly method?: string;
  /** Sent as it is. */
  readonly path: string;
  readonly authorization?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** Sends one request on a connection of its own; the server's certificate is not checked. */
export function requestOf(server: { readonly port: number }, asked: Asked): Promise<Answered> {
  const { method = "GET", path, authorization, body } = asked;
  const headers = { ...asked.headers, ...(authorization && { authorization }) };
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const to = { host: "127.0.0.1", port: server.port, rejectUnauthorized: false, agent: false };
  const sent = request({ ...to, method, path, headers }, async (response) => {
    try {
      resolve({ status: response.statusCode ?? 0, text: await text(response) });
    } catch (error) {
      reject(error);
    }
  });
  sent.on("error", reject);
  sent.end(body);
  return promise;
}
