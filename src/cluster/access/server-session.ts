import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { trustOf } from "#/std/tls/trust.ts";
import { TrustingAgent } from "#/std/tls/trusting-agent.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { agentServer, type ClusterSettings, localServer } from "../base/settings.ts";

/** Timeout of an answer (ms). */
const answerMs = 30_000;
/** Limit of the silence of a watch (ms). */
const watchMs = 15 * 60_000;
/** Limit of connections at a time. */
const maxSockets = 8;

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Body {
  readonly type?: string;
  readonly value: object;
}

/**
 * Requests of the cluster's own tasks: to the API server of this machine, as an administrator that needs no roles; or, within the
 * agent, to whichever server works, as its node.
 */
export class ServerSession implements Disposable {
  readonly #server: string;
  readonly #agent: TrustingAgent;

  private constructor(server: string, agent: TrustingAgent) {
    this.#server = server;
    this.#agent = agent;
  }

  /** Reads the certificates that are there now: of the administrator, or of the node of a machine that has joined. */
  static async open(
    paths: ClusterPaths,
    settings: ClusterSettings,
    who: "administrator" | "node" = "administrator",
  ): Promise<ServerSession> {
    const node = join(paths.kubelet, "pki/kubelet-client-current.pem");
    const admin = join(paths.pki, "super-admin");
    const files = who === "node" ? [node, node] : [`${admin}.crt`, `${admin}.key`];
    const [ca, cert, key] = await Promise.all(
      [join(paths.pki, "ca.crt"), ...files].map((file) => readFile(file, "utf8")),
    );
    const agent = new TrustingAgent({
      keepAlive: true,
      maxSockets,
      trust: trustOf(ca ?? ""),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
    return new ServerSession(who === "node" ? agentServer : localServer(settings), agent);
  }

  /** The answer, whatever its status. */
  async ask(method: string, path: string, body?: Body): Promise<Answer> {
    const response = await this.#send(method, path, body);
    return { status: response.statusCode ?? 0, text: await text(response) };
  }

  /** The events of a watch, until it ends. */
  async *events(path: string, signal: AbortSignal): AsyncGenerator<{ readonly object: unknown }> {
    const response = await this.#send("GET", path, undefined, watchMs);
    if (response.statusCode !== 200) throw new Error(`watch: ${response.statusCode}`);
    using _stop = disposeOnAbort(signal, () => response.destroy());
    // A consumer that has failed leaves the connection to be cut: that is no error of the process.
    response.on("error", () => undefined);
    let rest = "";
    for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line) as { readonly object: unknown };
    }
  }

  async #send(
    method: string,
    path: string,
    body?: Body,
    timeout = answerMs,
  ): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const url = new URL(path, this.#server);
    const headers = body && { "content-type": body.type ?? "application/json" };
    const options = { agent: this.#agent, method, headers, timeout };
    const call = request(url, options, resolve);
    call.on("timeout", () => call.destroy(new Error(`${url.origin} does not answer`)));
    call.on("error", reject);
    call.end(body && JSON.stringify(body.value));
    return await promise;
  }

  /** The object that is answered. Rejects unless the status is 200, or one of those that are expected. */
  async json<T>(method: string, path: string, body?: Body): Promise<T> {
    const answer = await this.ask(method, path, body);
    if (answer.status >= 300) {
      throw new CommandFailure(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    }
    return JSON.parse(answer.text) as T;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function disposeOnAbort(signal: AbortSignal, stop: () => void): Disposable {
  signal.addEventListener("abort", stop, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", stop) };
}
