import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { CommandError } from "../../base/errors.ts";
import { readAll } from "../../base/host.ts";
import type { Context } from "../../command/context.ts";

/** The path of traces at a collector; a URL with a path of its own is used as it is. */
const tracesPath = "/v1/traces";
const timeoutMs = 30_000;

/** Sends spans to a collector; throws unless it accepts them. */
export async function postJson(url: string, body: object, { signal }: Context): Promise<void> {
  const target = parseUrl(url);
  if (target.pathname === "/") target.pathname = tracesPath;
  const send = target.protocol === "https:" ? httpsRequest : httpRequest;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { "content-type": "application/json" };
  const outgoing = send(target, { method: "POST", headers, signal, timeout: timeoutMs }, resolve);
  outgoing.once("timeout", () => outgoing.destroy(new Error("it does not answer")));
  outgoing.once("error", reject);
  outgoing.end(JSON.stringify(body));
  const response = await promise.catch((error: Error) => {
    throw new CommandError(`cannot send spans to ${target.href}: ${error.message}`);
  });
  const text = (await readAll(response)).toString();
  const { statusCode: status = 0 } = response;
  if (status < 200 || status >= 300) {
    throw new CommandError(`${target.href} answered ${status}: ${text.slice(0, 500)}`);
  }
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url && (url.protocol === "http:" || url.protocol === "https:")) return url;
  throw new CommandError(`--otlp: ${text} is not a URL such as http://collector:4318`);
}
