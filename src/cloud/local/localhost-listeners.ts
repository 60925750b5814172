import { connect, type Server, type Socket } from "node:net";
import { joinConnections } from "#/std/net/join-connections.ts";
import { listenAt } from "#/std/net/listen-at.ts";
import type { LocalhostPort } from "./plan-localhost-ports.ts";

/** The names of this machine for itself; one without IPv6 lacks the second. */
const hosts = ["127.0.0.1", "::1"];

interface OpenPort extends LocalhostPort {
  readonly owner: string;
  readonly servers: readonly Server[];
}

/** Listeners on localhost that pass connections on to load balancers. The first owner of a port keeps it. */
export class LocalhostListeners implements Disposable {
  readonly #netns: string;
  readonly #open = new Map<number, OpenPort>();
  readonly #connections = new Set<Socket>();

  /** They are in another network namespace if its file is given. */
  constructor(netns: string) {
    this.#netns = netns;
  }

  /** Makes the listeners of an owner equal to these; returns the ports that are not free. */
  async set(owner: string, wanted: readonly LocalhostPort[]): Promise<number[]> {
    for (const open of [...this.#open.values()]) {
      const isWanted = wanted.some((one) => isSame(one, open));
      if (open.owner === owner && !isWanted) this.#close(open);
    }
    const refused: number[] = [];
    for (const one of wanted) {
      const open = this.#open.get(one.port);
      if (open?.owner === owner) continue;
      if (open || !(await this.#listen(owner, one))) refused.push(one.port);
    }
    return refused;
  }

  [Symbol.dispose](): void {
    for (const open of [...this.#open.values()]) this.#close(open);
    for (const socket of this.#connections) socket.destroy();
  }

  async #listen(owner: string, wanted: LocalhostPort): Promise<boolean> {
    const servers: Server[] = [];
    for (const host of hosts) {
      const server = await listenAt(wanted.port, host, this.#netns);
      // A port that another program has at one address only must not look like ours.
      if (!server && host === hosts[0]) return false;
      if (server) servers.push(server);
    }
    for (const server of servers) {
      server.on("connection", (socket) => this.#join(socket, wanted));
    }
    this.#open.set(wanted.port, { ...wanted, owner, servers });
    return true;
  }

  #join(socket: Socket, { address, targetPort }: LocalhostPort): void {
    const target = connect({ host: address, port: targetPort });
    joinConnections(socket, target);
    for (const one of [socket, target]) {
      this.#connections.add(one);
      one.once("close", () => this.#connections.delete(one));
    }
  }

  #close({ port, servers }: OpenPort): void {
    this.#open.delete(port);
    for (const server of servers) server.close();
  }
}

const isSame = (a: LocalhostPort, b: LocalhostPort): boolean =>
  a.port === b.port && a.address === b.address && a.targetPort === b.targetPort;
