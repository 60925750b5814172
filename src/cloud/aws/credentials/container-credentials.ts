/** Upstream: aws-sdk-go-v2 credentials/endpointcreds and config/resolve_credentials.go. */
import { readFile } from "node:fs/promises";
import { isLoopback, parseNetIp } from "#/std/net/ip.ts";
import type { Send } from "../client/send.ts";
import { type Credentials, parseCredentials } from "./credentials.ts";

/** Addresses of ECS' and EKS' agents, besides those of the machine itself. */
const agentHosts = new Set(["169.254.170.2", "169.254.170.23", "fd00:ec2::23"]);

interface ContainerSource {
  readonly url: string;
  readonly token: string;
  readonly tokenFile: string;
}

/** Credentials of the agent of ECS or of EKS Pod Identity. */
export async function containerCredentials(
  { url: source, token, tokenFile }: ContainerSource,
  send: Send,
  signal: AbortSignal,
): Promise<Credentials> {
  const url = parseUrl(source);
  const authorization = tokenFile ? await readFile(tokenFile, "utf8") : token;
  if (/[\r\n]/.test(authorization)) {
    throw new Error("authorization token contains invalid newline sequence");
  }
  const headers = { accept: "application/json", ...(authorization ? { authorization } : {}) };
  const reply = await send({ method: "GET", url, headers, body: "", timeoutMs: 10_000 }, signal);
  if (reply.status !== 200) {
    throw new Error(`failed to load credentials, ${url.href} answered ${reply.status}`);
  }
  return parseCredentials(reply.body, "container credentials");
}

/** Plain HTTP is allowed only to the machine itself: the request has a token and the response has keys. */
function parseUrl(source: string): URL {
  const url = URL.parse(source);
  if (!url) throw new Error(`invalid URL, ${source}`);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const ip = parseNetIp(host);
  const isLocal = host === "localhost" || agentHosts.has(host) || (ip && isLoopback(ip));
  if (url.protocol === "https:" || (url.protocol === "http:" && isLocal)) return url;
  throw new Error(`invalid endpoint host, ${goHost(url)}, only loopback/ecs/eks hosts are allowed`);
}

const goHost = (url: URL): string => `"${url.hostname}"`;
