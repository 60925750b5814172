import { createReadStream } from "node:fs";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { request } from "#/std/net/node-http.ts";

interface SocketRequest {
  readonly path: string;
  readonly method?: "GET" | "POST" | "DELETE";
  /** A file that is sent as the body. */
  readonly file?: string;
}

/** Limit of the wait for bytes on the connection (ms). */
const silenceMs = 60_000;

/** Sends an HTTP request to a program that listens on a Unix socket. */
export function requestOverSocket(
  socketPath: string,
  { path, method = "GET", file }: SocketRequest,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const headers = file === undefined ? {} : { "content-type": "application/x-tar" };
    const target = { socketPath, path, method, headers, host: "localhost", timeout: silenceMs };
    const sent = request(target);
    sent.once("timeout", () => sent.destroy(new Error(`${socketPath} doesn't answer`)));
    sent.once("error", reject);
    sent.once("response", (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, body }),
        (error) => reject(error),
      );
    });
    if (file === undefined) sent.end();
    else pipeline(createReadStream(file), sent).catch(reject);
  });
}
