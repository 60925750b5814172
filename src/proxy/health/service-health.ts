import { type EndpointReply, type HttpEndpoint, serveHttp } from "#/std/net/http-endpoint.ts";
import type { HealthCheck } from "../base/service-tracker.ts";
import type { ProxyHealth } from "./proxy-health.ts";

interface ServiceHealthOptions {
  /** The addresses to listen on. */
  readonly hosts: readonly string[];
  readonly proxyHealth: ProxyHealth;
  /** Called when a port can't be opened. */
  onFailure(service: string, port: number, error: unknown): void;
}

/** The health check server of one service. */
interface Check {
  readonly port: number;
  readonly servers: readonly HttpEndpoint[];
  endpoints: number;
}

/**
 * Reports to load balancers whether this node has endpoints of a service, on the service's
 * healthCheckNodePort. Upstream: pkg/proxy/healthcheck/service_health.go.
 */
export class ServiceHealth implements AsyncDisposable {
  readonly #options: ServiceHealthOptions;
  readonly #checks = new Map<string, Check>();

  constructor(options: ServiceHealthOptions) {
    this.#options = options;
  }

  /** Serves exactly these checks, given by `namespace/name` of their services. */
  async sync(checks: ReadonlyMap<string, HealthCheck>): Promise<void> {
    for (const [service, check] of this.#checks) {
      if (checks.get(service)?.port === check.port) continue;
      this.#checks.delete(service);
      await closeAll(check.servers);
    }
    for (const [service, { port, localEndpoints }] of checks) {
      if (!this.#checks.has(service)) await this.#open(service, port);
      const check = this.#checks.get(service);
      if (check) check.endpoints = localEndpoints;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sync(new Map());
  }

  async #open(service: string, port: number): Promise<void> {
    const servers: HttpEndpoint[] = [];
    try {
      for (const host of this.#options.hosts) {
        servers.push(await serveHttp({ host, port, ipv6Only: true }, () => this.#reply(service)));
      }
      this.#checks.set(service, { port, servers, endpoints: 0 });
    } catch (error) {
      await closeAll(servers);
      this.#options.onFailure(service, port, error);
    }
  }

  #reply(service: string): EndpointReply {
    const count = this.#checks.get(service)?.endpoints ?? 0;
    const { healthy } = this.#options.proxyHealth;
    const [namespace = "", name = ""] = service.split("/");
    return {
      status: count > 0 && healthy ? 200 : 503,
      headers: {
        "content-type": "application/json",
        "x-content-type-options": "nosniff",
        "x-load-balancing-endpoint-weight": String(count),
      },
      body: serviceHealthText(namespace, name, count, healthy),
    };
  }
}

function serviceHealthText(
  namespace: string,
  name: string,
  localEndpoints: number,
  serviceProxyHealthy: boolean,
): string {
  const report = { service: { namespace, name }, localEndpoints, serviceProxyHealthy };
  return JSON.stringify(report, undefined, "\t");
}

async function closeAll(servers: readonly HttpEndpoint[]): Promise<void> {
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
}
