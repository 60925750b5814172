import type { SecureContext } from "node:tls";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { GatewayState } from "./gateway-state.ts";
import type { PlannedPort, Site } from "./routes/plan-gateway-api.ts";
import type { ClientConnection } from "./serve/exchange.ts";
import type { Forwarder } from "./serve/forwarder.ts";
import { joinStream } from "./serve/join-stream.ts";
import { type Admission, Listener } from "./serve/listener.ts";
import { findByHost } from "./table/by-host.ts";
import type { RouteTable } from "./table/route-table.ts";

interface PortsOptions {
  readonly state: GatewayState;
  readonly forwarder: Forwarder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly bindAddress: string;
  /** Called when a port has begun to listen. */
  readonly onListening: () => void;
}

/** A port of a gateway, and where it really listens: the gateway's Service leads there. */
interface OpenPort {
  plan: PlannedPort;
  readonly listener: Listener;
  /** 0 until it listens. */
  boundPort: number;
}

/** The listening ports of all gateways. A change of routes takes effect at once, and closes no connection. */
export class GatewayPorts implements AsyncDisposable {
  readonly #options: PortsOptions;
  /** By "namespace/name port" of the gateway. */
  readonly #open = new Map<string, OpenPort>();

  constructor(options: PortsOptions) {
    this.#options = options;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(all.map(({ listener }) => listener[Symbol.asyncDispose]()));
  }

  /** Number of open connections. */
  get size(): number {
    return [...this.#open.values()].reduce((sum, { listener }) => sum + listener.size, 0);
  }

  /** Listens as the plan says. */
  update(): void {
    const wanted = new Set<string>();
    for (const { gateway, ports } of this.#options.state.apiPlan.gateways) {
      for (const [port, plan] of ports) {
        const key = `${gateway.metadata.namespace}/${gateway.metadata.name} ${port}`;
        const kindKey = `${key} ${plan.isSecure ? "TLS" : "HTTP"}`;
        wanted.add(kindKey);
        const found = this.#open.get(kindKey);
        if (found) found.plan = plan;
        else this.#listen(kindKey, port, plan);
      }
    }
    for (const [key, { listener }] of this.#open) {
      if (wanted.has(key)) continue;
      this.#open.delete(key);
      void listener[Symbol.asyncDispose]();
    }
  }

  /** Where the ports of a gateway listen, by their number; those that do not yet are left out. */
  boundPorts(gateway: string, ports: ReadonlyMap<number, PlannedPort>): Map<number, number> {
    const bound = new Map<number, number>();
    for (const [port, { isSecure }] of ports) {
      const open = this.#open.get(`${gateway} ${port} ${isSecure ? "TLS" : "HTTP"}`);
      if (open?.boundPort) bound.set(port, open.boundPort);
    }
    return bound;
  }

  #listen(key: string, port: number, plan: PlannedPort): void {
    const { forwarder, clock, log, bindAddress, onListening } = this.#options;
    const siteOf = (host: string): Site | undefined => findByHost(open.plan.sites, host);
    const listener = new Listener({
      forwarder,
      clock,
      publicPort: port,
      findTable: (host, connection) => tableOf(siteOf, host, connection),
      ...(plan.isSecure
        ? {
            contextFor: (name): SecureContext => this.#contextOf(siteOf(name)),
            admit: (name): Admission => this.#admit(siteOf(name), name),
          }
        : {}),
    });
    const open: OpenPort = { plan, listener, boundPort: 0 };
    this.#open.set(key, open);
    // Any free port: that of the gateway's Service is of another address.
    listener.listen(0, bindAddress).then(
      (boundPort) => {
        open.boundPort = boundPort;
        onListening();
      },
      (error: unknown) => {
        log.error(error, "failed to listen for a gateway", { port: key });
        this.#open.delete(key);
      },
    );
  }

  #contextOf(site: Site | undefined): SecureContext {
    return this.#options.state.certificates.contextOf(site?.listener.certificates[0]);
  }

  #admit(site: Site | undefined, name: string): Admission {
    if (!site) return "refuse";
    if (site.listener.spec.protocol !== "TLS") return "http";
    const choices = findByHost(site.streams, name);
    if (!choices) return "refuse";
    const { state, clock } = this.#options;
    const { backends } = state;
    const { isPassthrough } = site.listener;
    const options = { backends, clock, isPassthrough };
    return { isPassthrough, join: (one) => void joinStream(one, choices, options) };
  }
}

const noTable: RouteTable = {
  hosts: new Map(),
  fallback: { kind: "reply", status: 404, text: "no route for this host and path\n" },
  wildcards: "any labels",
};

/** The routes of a host; undefined if a client's connection was made for another listener. */
function tableOf(
  siteOf: (host: string) => Site | undefined,
  host: string,
  { serverName }: ClientConnection,
): RouteTable | undefined {
  const site = siteOf(host);
  if (serverName !== "" && site !== siteOf(serverName)) return undefined;
  return site?.table ?? noTable;
}
