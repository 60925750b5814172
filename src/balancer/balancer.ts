import { createServer, type Server, type Socket, connect as tcpConnect } from "node:net";
import type { Logger } from "#/std/log/log.ts";
import { joinConnections } from "#/std/net/join-connections.ts";
import { peerUser } from "#/std/net/peer-user.ts";
import type { Clock } from "#/std/time/clock.ts";
import { chooseServer, type ServerState } from "./choose-server.ts";

/** Limit of the time (ms) to a connection with a server. */
const connectMs = 1_000;
/** Limit of open connections (count): the components of a node have some dozens. */
const maxConnections = 1_024;
/** Limit of open connections (count) above which only root gets more: other users of the machine must not take all. */
const maxForAll = 512;
const root = 0;

interface BalancerOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** The address of the server of this machine; undefined if it has none. */
  readonly own: string | undefined;
  /** Finds the user of a connection; default by the kernel. */
  readonly findUser?: (client: Socket) => Promise<number | undefined>;
}

/** Leads connections to one of several servers. Those to a server that fails are closed, if there is another that works. */
export class Balancer {
  readonly #options: BalancerOptions;
  readonly #servers = new Map<string, ServerState>();
  readonly #connections = new Map<Socket, string>();
  readonly #clients = new Set<Socket>();
  #current: string | undefined;
  #several = Promise.withResolvers<void>();

  constructor(options: BalancerOptions) {
    this.#options = options;
  }

  /** The server that is used. */
  get current(): string | undefined {
    return this.#current;
  }

  get addresses(): string[] {
    return [...this.#servers.keys()];
  }

  get hasSeveral(): boolean {
    return this.#servers.size > 1;
  }

  /** Resolves once there are several servers. */
  untilSeveral(): Promise<void> {
    return this.#several.promise;
  }

  /** Replaces the list of servers; what is known of those that stay is kept. */
  setServers(addresses: readonly string[]): void {
    const nowMs = this.#options.clock.monotonicMs();
    const hadSeveral = this.hasSeveral;
    for (const address of this.addresses)
      if (!addresses.includes(address)) this.#servers.delete(address);
    for (const address of addresses) {
      if (!this.#servers.has(address))
        this.#servers.set(address, { address, isUp: undefined, sinceMs: nowMs });
    }
    if (this.hasSeveral && !hadSeveral) this.#several.resolve();
    if (!this.hasSeveral && hadSeveral) this.#several = Promise.withResolvers();
    this.#choose();
  }

  /** Notes the health of a server. */
  report(address: string, isUp: boolean): void {
    const known = this.#servers.get(address);
    if (!known) return;
    const nowMs = this.#options.clock.monotonicMs();
    if (known.isUp !== isUp) this.#servers.set(address, { address, isUp, sinceMs: nowMs });
    this.#choose();
  }

  #choose(): void {
    const { clock, own, log } = this.#options;
    const chosen = chooseServer({
      servers: [...this.#servers.values()],
      current: this.#current,
      own,
      nowMs: clock.monotonicMs(),
    });
    if (chosen === this.#current || chosen === undefined) return;
    if (this.#current !== undefined) {
      log.info("using another server", { server: chosen, before: this.#current });
    }
    this.#current = chosen;
    if (!this.#servers.get(chosen)?.isUp) return;
    for (const [client, address] of this.#connections) if (address !== chosen) client.destroy();
  }

  /** Accepts connections. */
  listen(): Server {
    const server = createServer({ noDelay: true }, (client) => void this.#accept(client));
    server.maxConnections = maxConnections;
    return server;
  }

  async #accept(client: Socket): Promise<void> {
    client.on("error", () => client.destroy());
    this.#clients.add(client);
    client.once("close", () => this.#clients.delete(client));
    if (this.#clients.size > maxForAll && !(await this.#isRoot(client))) {
      return void client.destroy();
    }
    const tried = new Set<string>();
    for (;;) {
      const address = this.#next(tried);
      if (address === undefined) return void client.destroy();
      tried.add(address);
      const socket = await this.#connect(address);
      if (!socket) {
        this.report(address, false);
        continue;
      }
      if (client.destroyed) return void socket.destroy();
      this.#connections.set(client, address);
      client.once("close", () => this.#connections.delete(client));
      joinConnections(client, socket, this.#options.clock);
      return;
    }
  }

  async #isRoot(client: Socket): Promise<boolean> {
    const { findUser = peerUser } = this.#options;
    return (await findUser(client).catch(() => undefined)) === root;
  }

  /** The server that is used, then those that may work, each once. */
  #next(tried: ReadonlySet<string>): string | undefined {
    const all = [...this.#servers.values()].filter(({ address }) => !tried.has(address));
    const used = all.find(({ address }) => address === this.#current);
    return (used ?? all.find(({ isUp }) => isUp !== false) ?? all[0])?.address;
  }

  #connect(address: string): Promise<Socket | undefined> {
    const { hostname, port } = new URL(address);
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    return new Promise((resolve) => {
      const socket = tcpConnect({ host, port: Number(port || 443), noDelay: true });
      const fail = (): void => {
        socket.destroy();
        resolve(undefined);
      };
      const timer = this.#options.clock.setTimer(connectMs, fail);
      socket.once("error", () => {
        timer.cancel();
        fail();
      });
      socket.once("connect", () => {
        timer.cancel();
        resolve(socket);
      });
    });
  }

  /** Closes all connections. */
  close(): void {
    for (const client of this.#clients) client.destroy();
  }
}
