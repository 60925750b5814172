import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { trustOf, UntrustedServer } from "#/std/tls/trust.ts";
import { TrustingAgent } from "#/std/tls/trusting-agent.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { ownCommand } from "../base/own-command.ts";

const answerMs = 10_000;

interface Question {
  /** The server's authority; undefined if it is not known yet: then send no secrets, and verify the response. */
  readonly authority: string | undefined;
  readonly token?: string;
  /** A client certificate with its key, as PEM. */
  readonly identity?: Buffer;
  /** Sent as a patch; without it the request is a GET. */
  readonly patch?: { readonly type: string; readonly body: object };
  readonly timeoutMs?: number;
  /** Ends the response early: as soon as this holds for what has arrived. */
  readonly until?: (body: string) => boolean;
  readonly signal?: AbortSignal;
}

interface ServerAnswer {
  readonly status: number;
  readonly body: string;
  /** When it answered, by its clock; NaN if it does not say. */
  readonly nowMs: number;
}

/** Sends a request to an API server that may not work yet; failures are explained to the user. */
export async function askServer(url: URL, question: Question): Promise<ServerAnswer> {
  const { authority, token, identity, patch, timeoutMs = answerMs, until, signal } = question;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const agent = new TrustingAgent({
    ...(authority === undefined ? { rejectUnauthorized: false } : { trust: trustOf(authority) }),
    ...(identity && { cert: identity, key: identity }),
  });
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(patch && { "content-type": patch.type }),
  };
  const method = patch ? "PATCH" : "GET";
  const options = { agent, method, headers, timeout: timeoutMs, ...(signal && { signal }) };
  const call = request(url, options, resolve);
  call.on("timeout", () => call.destroy(new Error("it does not answer")));
  call.on("error", reject);
  call.end(patch && JSON.stringify(patch.body));
  try {
    const response = await promise;
    const body = await (until ? textUntil(response, until) : text(response));
    const nowMs = Date.parse(response.headers.date ?? "");
    return { status: response.statusCode ?? 0, body, nowMs };
  } catch (error) {
    throw new CommandFailure(failureOf(url, error as Error));
  }
}

async function textUntil(
  response: IncomingMessage,
  isEnough: (body: string) => boolean,
): Promise<string> {
  let body = "";
  for await (const chunk of response.setEncoding("utf8")) {
    body += chunk;
    if (isEnough(body)) break;
  }
  return body;
}

/** Why a server can't be reached. */
function failureOf({ origin, hostname }: URL, error: Error): string {
  if (!(error instanceof UntrustedServer)) return `${origin} can't be reached: ${error.message}`;
  if (/x509: certificate is (not )?valid for|contain any IP SANs/.test(error.message)) {
    return `the certificate of ${origin} is not for "${hostname}"; start its server with: ${ownCommand(`up --tls-san=${hostname}`)}`;
  }
  return `${origin} is not a server of the expected cluster (${error.message})`;
}
