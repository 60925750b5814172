import type { IncomingMessage } from "node:http";
import type { APIService, ServiceReference } from "#/api/apiregistration/v1.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import type { Clock } from "#/std/time/clock.ts";
import { trustOf } from "#/std/tls/trust.ts";
import type { Dial } from "../egress/egress.ts";
import { type Exchange, type Reply, textReply, type UserInfo } from "../model/exchange.ts";
import type { Identity } from "../outgoing/certificate-files.ts";
import { formatLocation, hostOf, type Location } from "../outgoing/location.ts";
import { Transport } from "../outgoing/transport.ts";
import type { Headers } from "../proxy/forwarded-headers.ts";
import { readText } from "../proxy/read-text.ts";
import { resolveService, type ServiceStores } from "../proxy/resolve-service.ts";
import { passOn, queryOf } from "../proxy/reverse-proxy.ts";
import { availability } from "../resources/apiregistration/condition.ts";

export interface RemoteApiOptions extends ServiceStores {
  readonly clock: Clock;
  /** Connects to endpoints instead of the Service's address (--enable-aggregator-routing). */
  readonly routeToEndpoints: boolean;
  /** Redirects are answered with 502 (--aggregator-reject-forwarding-redirect). */
  readonly rejectRedirects: boolean;
  /** The client certificate for aggregated servers (--proxy-client-cert-file, --proxy-client-key-file). */
  readonly identity?: () => Identity;
  /** Makes connections; default is direct ones. */
  readonly dial?: Dial | undefined;
}

/** Limit of the time of an availability check (ms). */
const discoveryTimeoutMs = 5_000;

/** Limit of a response to the aggregator itself (bytes); discovery of a thousand resources is far smaller. */
const maxAnswerBytes = 4 * 1024 * 1024;
/** Limit of an OpenAPI document (bytes): Kubernetes' own has 4 MB. */
export const maxDocumentBytes = 16 * 1024 * 1024;

/** The user of the aggregator's own requests to aggregated servers. */
const aggregatorUser: UserInfo = { name: "system:kube-aggregator", groups: ["system:masters"] };

/**
 * An API that another server has: one group and version.
 *
 * Upstream: staging/src/k8s.io/kube-aggregator/pkg/apiserver/handler_proxy.go.
 */
export class RemoteApi implements Disposable {
  /** The current APIService: its status changes, its spec stays. */
  apiService: APIService;
  readonly service: ServiceReference;
  readonly #options: RemoteApiOptions;
  readonly #transport: Transport;

  constructor(apiService: APIService, service: ServiceReference, options: RemoteApiOptions) {
    this.apiService = apiService;
    this.service = service;
    this.#options = options;
    const { insecureSkipTLSVerify = false, caBundle = "" } = apiService.spec;
    const trust = caBundle === "" ? {} : { trust: trustOf(Buffer.from(caBundle, "base64")) };
    this.#transport = new Transport(
      () => ({
        ...options.identity?.(),
        servername: `${service.name}.${service.namespace}.svc`,
        rejectUnauthorized: !insecureSkipTLSVerify,
        ...trust,
      }),
      options.dial,
    );
  }

  get available(): boolean {
    return availability(this.apiService)?.status === "True";
  }

  /** Forwards a client's request, with the client's identity. */
  async serve(exchange: Exchange): Promise<Reply> {
    if (!this.available) return unavailable("service unavailable");
    const { user } = exchange;
    if (!user) return textReply(500, "missing user\n");
    const location = this.#locate(exchange.path, queryOf(exchange));
    if (!location) return unavailable("service unavailable");
    using deadline = isDiscovery(exchange) ? this.#deadline(exchange.signal) : undefined;
    try {
      return await passOn(exchange, {
        transport: this.#transport,
        location,
        headers: {
          ...userHeaders(user),
          host: hostOf(location),
          "audit-id": exchange.auditId,
        },
        scheme: "https",
        host: hostOf(location),
        rejectRedirects: this.#options.rejectRedirects,
        ...(deadline ? { signal: deadline.signal } : {}),
      });
    } catch (error) {
      if (!isStatusError(error)) throw error;
      return unavailable(error.message);
    }
  }

  /**
   * Sends a request as the aggregator itself, and reads its body up to a limit. Throws an error with the reason if
   * there is no response.
   */
  async ask(
    path: string,
    headers: Headers = {},
    maxBytes = maxAnswerBytes,
  ): Promise<{ status: number; headers: IncomingMessage["headers"]; body: string; url: string }> {
    const origin = resolveService(this.#options, this.service, this.#options.routeToEndpoints);
    const location = { ...origin, path, query: "" };
    const url = formatLocation(location);
    using deadline = this.#deadline();
    const { signal } = deadline;
    try {
      const response = await this.#transport.send({
        method: "GET",
        location,
        headers: { ...headers, ...userHeaders(aggregatorUser), host: hostOf(location) },
        signal,
      });
      const status = response.statusCode ?? 0;
      return {
        status,
        headers: response.headers,
        body: await readText(response, maxBytes),
        url,
      };
    } catch (error) {
      const late = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
      const why = signal.aborted ? late : error instanceof Error ? error.message : String(error);
      throw new Error(`failing or missing response from ${url}: Get "${url}": ${why}`, {
        cause: error,
      });
    }
  }

  [Symbol.dispose](): void {
    this.#transport[Symbol.dispose]();
  }

  #locate(path: string, query: string): Location | undefined {
    try {
      const origin = resolveService(this.#options, this.service, this.#options.routeToEndpoints);
      return { ...origin, path, query };
    } catch (error) {
      if (isStatusError(error)) return undefined;
      throw error;
    }
  }

  #deadline(outer?: AbortSignal): Disposable & { readonly signal: AbortSignal } {
    const controller = new AbortController();
    const late = new Error("context deadline exceeded");
    const timer = this.#options.clock.setTimer(discoveryTimeoutMs, () => controller.abort(late), {
      keepAlive: false,
    });
    const signal = outer ? AbortSignal.any([outer, controller.signal]) : controller.signal;
    return { signal, [Symbol.dispose]: () => timer.cancel() };
  }
}

function unavailable(message: string): Reply {
  return textReply(503, `${message}\n`);
}

/** Whether a request is for discovery; all clients wait for that, so it must not take long. */
function isDiscovery({ info, path }: Exchange): boolean {
  return !info.isResourceRequest && path.split("/").filter(Boolean).length === 3;
}

/** Headers with the user's identity, for a server that trusts the front proxy's certificate. */
function userHeaders({ name, uid = "", groups, extra = {} }: UserInfo): Headers {
  return {
    "x-remote-user": name,
    ...(uid === "" ? {} : { "x-remote-uid": uid }),
    ...(groups.length === 0 ? {} : { "x-remote-group": groups }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`x-remote-extra-${escapeKey(key)}`, values]),
    ),
  };
}

/** Percent-encodes characters that a header name may not have, and the percent sign. */
function escapeKey(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}
