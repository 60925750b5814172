import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { CommandFailure } from "./command.ts";

const answerMs = 10_000;

export interface Question {
  /** Who vouches for the server; undefined if nobody does yet: then send nothing secret, and check what comes back. */
  readonly authority: string | undefined;
  readonly token?: string;
  /** A client certificate with its key, as PEM. */
  readonly identity?: Buffer;
  /** Sent as a patch; without it the question is a GET. */
  readonly patch?: { readonly type: string; readonly body: object };
  readonly timeoutMs?: number;
}

export interface ServerAnswer {
  readonly status: number;
  readonly body: string;
}

/** Asks an API server that is not known to work yet; what goes wrong is said in words that help. */
export async function askServer(url: URL, question: Question): Promise<ServerAnswer> {
  const { authority, token, identity, patch, timeoutMs = answerMs } = question;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = {
    ...(authority === undefined ? { rejectUnauthorized: false } : { ca: authority }),
    ...(identity && { cert: identity, key: identity }),
    method: patch ? "PATCH" : "GET",
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(patch && { "content-type": patch.type }),
    },
    agent: false,
    timeout: timeoutMs,
  };
  const call = request(url, options, resolve);
  call.on("timeout", () => call.destroy(new Error("it does not answer")));
  call.on("error", reject);
  call.end(patch && JSON.stringify(patch.body));
  try {
    const response = await promise;
    return { status: response.statusCode ?? 0, body: await text(response) };
  } catch (error) {
    throw new CommandFailure(failureOf(url, error as NodeJS.ErrnoException));
  }
}

/** Why a server can't be talked to. */
function failureOf({ origin, hostname }: URL, { code = "", message }: NodeJS.ErrnoException) {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return `the certificate of ${origin} is not for "${hostname}"; start its server with: k8ts up --tls-san=${hostname}`;
  }
  if (untrusted.test(code)) return `${origin} is not a server of the expected cluster (${message})`;
  return `${origin} can't be reached: ${message}`;
}

const untrusted = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_)/;
