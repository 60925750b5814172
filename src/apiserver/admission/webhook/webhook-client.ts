/** Upstream: staging/src/k8s.io/apiserver/pkg/util/webhook/client.go. */
import type { Agent as PlainAgent } from "node:http";
import type { WebhookClientConfig } from "#/api/admissionregistration/v1.ts";
import type { Clock } from "#/std/time/clock.ts";
import { trustOf } from "#/std/tls/trust.ts";
import { traceHeaders } from "#/std/trace/tracer.ts";
import { type Egress, httpAgent, httpsAgent } from "../../egress/egress.ts";
import { encodeInTurns } from "../../outgoing/encode-in-turns.ts";
import { atPath, decodedPath, type GoUrl, parseUrl } from "../../outgoing/go-url.ts";
import { callRest, contentOf } from "../../outgoing/rest-call.ts";
import type { ResolveService } from "./service-resolver.ts";

/** Limit of servers with kept connections (count). */
const maxAgents = 200;
const defaultPort = 443;

/** A server of a webhook configuration. */
interface Peer {
  readonly url: GoUrl;
  /** The Service behind it, if it is one. */
  readonly service?: { readonly namespace: string; readonly name: string };
}

/** Sends objects to webhooks over kept connections. */
export class WebhookClient implements Disposable {
  readonly #agents = new Map<string, PlainAgent>();
  readonly #resolve: ResolveService;
  readonly #clock: Clock;
  readonly #egress: Egress;

  constructor(resolve: ResolveService, clock: Clock, egress: Egress = {}) {
    this.#resolve = resolve;
    this.#clock = clock;
    this.#egress = egress;
  }

  /** Posts JSON and returns the response's body; rejects with upstream's message. */
  async post(
    config: WebhookClientConfig,
    body: object,
    timeoutSeconds: number,
  ): Promise<Uint8Array> {
    const peer = peerOf(config, timeoutSeconds);
    const { url, service } = peer;
    const content = await encodeInTurns(body);
    const abort = new AbortController();
    using _ = this.#clock.setTimer(timeoutSeconds * 1000, () => abort.abort());
    const answer = await callRest({
      url,
      headers: {
        accept: "application/json, */*",
        "content-type": "application/json",
        "user-agent": "kube-apiserver-admission",
        ...traceHeaders(),
      },
      body: content,
      agent: (secure) => this.#agentFor(peer, config, secure),
      locate: (to) =>
        service && to.authority === url.authority
          ? this.#resolve(service.namespace, service.name, to.port)
          : to,
      signal: abort.signal,
      clock: this.#clock,
    });
    return contentOf(answer);
  }

  #agentFor(
    { url, service }: Peer,
    { caBundle = "" }: WebhookClientConfig,
    secure: boolean,
  ): PlainAgent {
    const key = `${secure} ${url.authority} ${service !== undefined} ${caBundle}`;
    const known = this.#agents.get(key);
    if (known) return known;
    const { cluster, controlPlane } = this.#egress;
    const dial = service ? cluster : controlPlane;
    const trust = caBundle === "" ? {} : { trust: trustOf(Buffer.from(caBundle, "base64")) };
    const name = service ? { servername: url.host } : {};
    const agent = secure
      ? httpsAgent({ keepAlive: true, ...trust, ...name }, dial)
      : httpAgent({ keepAlive: true }, dial);
    this.#agents.set(key, agent);
    const oldest = this.#agents.entries().next().value;
    if (this.#agents.size > maxAgents && oldest) {
      this.#agents.delete(oldest[0]);
      oldest[1].destroy();
    }
    return agent;
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }
}

function peerOf({ url, service }: WebhookClientConfig, timeoutSeconds: number): Peer {
  const query = `timeout=${timeoutSeconds}s`;
  if (service) {
    const { name, namespace, port = defaultPort, path = "" } = service;
    const host = `${name}.${namespace}.svc`;
    const server = { secure: true, authority: `${host}:${port}`, host, port, target: "/" };
    return { url: atPath(server, path, query), service: { namespace, name } };
  }
  if (!url) throw new Error("webhook configuration must have either service or URL");
  const server = parseUrl(url);
  if (!server) throw new Error(`Unparsable URL: ${url}`);
  return { url: atPath(server, decodedPath(server.target), query) };
}
