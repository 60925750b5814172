import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** Forwards connections to another address on this machine until it is cut. */
export class TcpProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cut = false;
  /** Forwarded connections, and those closed at once because it was cut. */
  accepted = 0;
  refused = 0;

  static async start(target: URL): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  private constructor(target: URL) {
    this.#server = createServer((client) => {
      if (this.#cut) {
        this.refused++;
        return void client.destroy();
      }
      this.accepted++;
      const upstream = connect(Number(target.port), target.hostname);
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(from);
        from.pipe(to);
        from.on("error", () => to.destroy());
        from.on("close", () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      }
    });
  }

  get port(): number {
    const address = this.#server.address();
    assert.ok(address && typeof address === "object");
    return address.port;
  }

  /** Breaks the current connections. */
  breakOnce(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Breaks all connections, and every new one. */
  cut(): void {
    this.#cut = true;
    this.breakOnce();
  }

  mend(): void {
    this.#cut = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await this.#server[Symbol.asyncDispose]();
  }
}
