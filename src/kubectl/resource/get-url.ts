/**
 * Upstream: staging/src/k8s.io/cli-runtime/pkg/resource/visitor.go (httpgetImpl), and the defaults of Go's HTTP
 * client.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { ConnectionError } from "#/client/transport/connection-error.ts";
import { ServerAddress } from "#/client/transport/server-address.ts";
import { TrustingAgent } from "#/std/tls/trusting-agent.ts";
import { CommandError } from "../base/errors.ts";
import { readAll } from "../base/host.ts";
import type { Context } from "../command/context.ts";

/** A response to a GET. */
interface UrlAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly body: Buffer;
}

const maxRedirects = 10;

/** Gets a URL at any port, through the proxy of the environment, and follows redirects. */
export async function getUrl(url: string, context: Context): Promise<UrlAnswer> {
  let next = url;
  for (let redirects = 0; redirects < maxRedirects; redirects++) {
    const response = await getOnce(next, context);
    const { statusCode: status = 0, statusMessage: statusText = "", headers } = response;
    if (!redirectCodes.includes(status) || headers.location === undefined) {
      return { status, statusText, body: await readAll(response) };
    }
    response.destroy();
    next = new URL(headers.location, next).href;
  }
  throw new CommandError(`Get "${next}": stopped after ${maxRedirects} redirects`);
}

const redirectCodes = [301, 302, 303, 307, 308];

function getOnce(url: string, { env, signal }: Context): Promise<IncomingMessage> {
  const server = new ServerAddress(url);
  const { isSecure } = server;
  const proxyUrl = server.proxyUrl(env as NodeJS.ProcessEnv);
  const proxyEnv = proxyUrl === "" ? {} : { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl };
  const agent = isSecure ? new TrustingAgent({ proxyEnv }) : new HttpAgent({ proxyEnv });
  return new Promise((resolve, reject) => {
    const outgoing = (isSecure ? httpsRequest : httpRequest)(url, { agent, signal }, resolve);
    outgoing.once("error", (error) => reject(new ConnectionError({ method: "GET", url }, error)));
    outgoing.end();
  });
}
