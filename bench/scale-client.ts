import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { systemClock as clock } from "#/std/time/clock.ts";
import type { Credentials } from "./apiserver/contender.ts";

export interface ReadOptions {
  readonly accept?: string;
  readonly encoding?: string;
}

/** Sends requests to a server with very many Pods, one after the other. The return values describe the responses. */
export class ScaleClient implements Disposable {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(url: string, { admin }: Credentials) {
    this.#url = url;
    this.#agent = new Agent({
      keepAlive: true,
      rejectUnauthorized: false,
      cert: readFileSync(admin.cert),
      key: readFileSync(admin.key),
    });
  }

  async read(path: string, options: ReadOptions = {}): Promise<string> {
    const { length } = await this.#body(path, options);
    return `${length} bytes`;
  }

  async pages(path: string): Promise<string> {
    let pages = 0;
    for (let token = "", more = true; more; pages++) {
      const body = await this.#body(`${path}&continue=${token}`, { encoding: "identity" });
      token = /"continue":"([^"]*)"/.exec(body.toString("latin1", 0, 1000))?.[1] ?? "";
      more = token !== "";
    }
    return `${pages} pages`;
  }

  /** Reads until the bookmark that ends the initial events. */
  async initialEvents(path: string, accept: string): Promise<string> {
    const response = await this.#send("GET", path, { accept });
    let length = 0;
    let tail = "";
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      tail = (tail + chunk.toString("latin1", Math.max(0, chunk.length - 500))).slice(-1000);
      if (tail.includes("k8s.io/initial-events-end")) break;
    }
    response.destroy();
    return `${length} bytes`;
  }

  /** The time from the request for a watch to the event of a write that is sent once the watch has begun. */
  async watchStart(): Promise<string> {
    const page = await this.#body("/api/v1/pods?limit=1", { encoding: "identity" });
    const version = /"resourceVersion":"(\d+)"/.exec(page.toString())?.[1] ?? "";
    const watch = await this.#send("GET", `/api/v1/pods?watch=1&resourceVersion=${version}`, {});
    const seen = new Promise((resolve) => watch.once("data", resolve));
    await this.#patch(7, "watch");
    await seen;
    watch.destroy();
    return "";
  }

  async patches(count: number): Promise<string> {
    const times: number[] = [];
    for (let index = 0; index < count; index++) {
      const began = clock.monotonicMs();
      await this.#patch(index, "patch");
      times.push(clock.monotonicMs() - began);
    }
    times.sort((a, b) => a - b);
    const at = (part: number) => `${times[Math.floor(part * count)]?.toFixed(1)} ms`;
    return `p50 ${at(0.5)}, p99 ${at(0.99)}`;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  async #patch(index: number, reason: string): Promise<void> {
    const path = `/api/v1/namespaces/team-${index % 50}/pods/web-${String(index).padStart(7, "0")}`;
    const headers = { "content-type": "application/merge-patch+json" };
    const body = JSON.stringify({ metadata: { annotations: { reason } } });
    await collect(await this.#send("PATCH", path, headers, body), path);
  }

  async #body(path: string, { accept, encoding = "gzip" }: ReadOptions): Promise<Buffer> {
    const headers = { "accept-encoding": encoding, ...(accept ? { accept } : {}) };
    return collect(await this.#send("GET", path, headers), path);
  }

  #send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body = "",
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = request(this.#url + path, { agent: this.#agent, method, headers });
      outgoing.on("response", resolve);
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }
}

async function collect(response: IncomingMessage, path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (response.statusCode === 200) return body;
  throw new Error(`${path}: ${response.statusCode} ${body}`);
}
