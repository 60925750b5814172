import type { ClientRequest } from "node:http";
import { type Agent, request } from "node:https";
import type { WebhookClientConfig } from "#/api/admissionregistration/v1.ts";
import type { Status } from "#/api/meta/v1.ts";
import { fromServerResponse } from "#/machinery/server-response.ts";
import { fromStatus } from "#/machinery/status-error.ts";
import type { Clock } from "#/std/clock.ts";
import { goQuote } from "#/std/go-quote.ts";
import { request as requestHttp } from "#/std/node-http.ts";
import { traceHeaders } from "#/std/trace/tracer.ts";
import { type Egress, httpsAgent } from "../../egress/egress.ts";
import { type Destination, goNetworkError, joinHostPort } from "./go-network-error.ts";
import type { ResolveService } from "./service-resolver.ts";

/** Answers over this are given up on. */
const maxAnswerBytes = 8 * 1024 * 1024;
/** How many servers' connections are kept. Upstream: apiserver/pkg/util/webhook/client.go. */
const agentsKept = 200;
const defaultPort = 443;

/** A server that is asked, as its configuration says. */
interface Peer {
  /** As messages show it. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** The service behind it, if it is one. */
  readonly service?: { readonly namespace: string; readonly name: string };
  readonly secure: boolean;
}

/** Sends objects to webhooks over connections that are kept for the next time. */
export class WebhookClient implements Disposable {
  readonly #agents = new Map<string, Agent>();
  readonly #resolve: ResolveService;
  readonly #clock: Clock;
  readonly #egress: Egress;

  constructor(resolve: ResolveService, clock: Clock, egress: Egress = {}) {
    this.#resolve = resolve;
    this.#clock = clock;
    this.#egress = egress;
  }

  /** Posts JSON and gives the answer's body; rejects with a message in upstream's words. */
  async post(
    config: WebhookClientConfig,
    body: object,
    timeoutSeconds: number,
  ): Promise<Uint8Array> {
    const peer = peerOf(config, timeoutSeconds);
    const { status, content } = await this.#exchange(peer, config, body, timeoutSeconds);
    if (status >= 200 && status < 300) return content;
    throw failureOf(status, content);
  }

  async #exchange(
    peer: Peer,
    config: WebhookClientConfig,
    body: object,
    timeoutSeconds: number,
  ): Promise<Answer> {
    let destination: Destination = peer;
    const abort = new AbortController();
    using _ = this.#clock.setTimer(timeoutSeconds * 1000, () => abort.abort());
    try {
      if (peer.service) {
        destination = this.#resolve(peer.service.namespace, peer.service.name, peer.port);
      }
      const bytes = Buffer.from(JSON.stringify(body));
      const agent = peer.secure ? this.#agentFor(peer, config) : undefined;
      return await send({ peer, destination, agent, bytes, signal: abort.signal });
    } catch (error) {
      const reason = abort.signal.aborted
        ? "context deadline exceeded"
        : goNetworkError(error as Error, { host: peer.host, port: destination.port });
      throw new Error(`Post ${goQuote(peer.url)}: ${reason}`, { cause: error });
    }
  }

  #agentFor(peer: Peer, { caBundle }: WebhookClientConfig): Agent {
    const key = `${peer.host}:${peer.port} ${caBundle ?? ""}`;
    const known = this.#agents.get(key);
    if (known) return known;
    const isName = !/^[0-9.]+$|:/.test(peer.host);
    const options = {
      keepAlive: true,
      ...(caBundle ? { ca: Buffer.from(caBundle, "base64") } : {}),
      ...(isName ? { servername: peer.host } : {}),
    };
    const { cluster, controlPlane } = this.#egress;
    const agent = httpsAgent(options, peer.service ? cluster : controlPlane);
    this.#agents.set(key, agent);
    const oldest = this.#agents.entries().next().value;
    if (this.#agents.size > agentsKept && oldest) {
      this.#agents.delete(oldest[0]);
      oldest[1].destroy();
    }
    return agent;
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }
}

interface Answer {
  readonly status: number;
  readonly content: Uint8Array;
}

interface Sending {
  readonly peer: Peer;
  readonly destination: Destination;
  readonly agent: Agent | undefined;
  readonly bytes: Uint8Array;
  readonly signal: AbortSignal;
}

/** Sends a request; once more if the server had just closed the connection that was kept. */
async function send(sending: Sending): Promise<Answer> {
  try {
    return await sendOnce(sending);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return sendOnce(sending);
  }
}

class StaleConnection extends Error {}

function sendOnce({ peer, destination, agent, bytes, signal }: Sending): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      method: "POST",
      host: destination.host,
      port: destination.port,
      path: peer.path,
      signal,
      headers: {
        host: peer.port === defaultPort ? peer.host : joinHostPort(peer.host, peer.port),
        accept: "application/json, */*",
        "content-type": "application/json",
        "content-length": bytes.length,
        "user-agent": "kube-apiserver-admission",
        ...traceHeaders(),
      },
    };
    const sent: ClientRequest = peer.secure
      ? request({ ...options, ...(agent ? { agent } : {}) })
      : requestHttp(options);
    sent.on("error", (error: Error & { code?: string }) => {
      const stale = sent.reusedSocket && error.code === "ECONNRESET";
      reject(stale ? new StaleConnection(error.message) : error);
    });
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxAnswerBytes) sent.destroy(new Error("the answer is too large"));
      });
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, content: Buffer.concat(chunks) }),
      );
    });
    sent.end(bytes);
  });
}

function peerOf({ url, service }: WebhookClientConfig, timeoutSeconds: number): Peer {
  const query = `timeout=${timeoutSeconds}s`;
  if (service) {
    const { name, namespace, port = defaultPort, path = "" } = service;
    const host = `${name}.${namespace}.svc`;
    const fullPath = `${path.startsWith("/") ? path : `/${path}`}?${query}`;
    return {
      url: `https://${host}:${port}${fullPath}`,
      host,
      port,
      path: fullPath,
      service: { namespace, name },
      secure: true,
    };
  }
  if (!url) throw new Error("webhook configuration must have either service or URL");
  const { protocol, hostname, port, pathname, host } = new URL(url);
  const path = `${pathname}?${query}`;
  return {
    url: `${protocol}//${host}${path}`,
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || defaultPort),
    path,
    secure: protocol === "https:",
  };
}

/** What a client makes of an answer that is no success. */
function failureOf(code: number, content: Uint8Array): Error {
  const message = Buffer.from(content).toString("utf8").trim();
  const status = findStatus(message);
  if (status) return fromStatus(status);
  return fromServerResponse({ code, verb: "POST", message, unexpected: true });
}

function findStatus(text: string): Status | undefined {
  try {
    const value = JSON.parse(text) as Status;
    return value?.kind === "Status" && value.status !== "Success" ? value : undefined;
  } catch {
    return undefined;
  }
}
