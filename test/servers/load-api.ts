import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { join } from "node:path";

export interface Answer {
  readonly status: number;
  readonly body: Body;
}

interface Body {
  readonly metadata?: { readonly resourceVersion?: string; readonly uid?: string };
  readonly message?: string;
  readonly items?: readonly ApiObject[];
}

export interface ApiObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly data?: Readonly<Record<string, string>>;
}

export interface ApiEvent {
  readonly type: string;
  readonly object: ApiObject & { readonly code?: number; readonly message?: string };
}

/** A client that shares no code with those that it tests. Rejects if there is no response. */
export class LoadApi {
  readonly #server: URL;
  readonly #identity: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };

  constructor(server: string, pki: string) {
    this.#server = new URL(server);
    const read = (name: string): Buffer => readFileSync(join(pki, name));
    this.#identity = { ca: read("ca.crt"), cert: read("admin.crt"), key: read("admin.key") };
  }

  /** Connections that are kept, or one for each request. */
  agent(keepAlive: boolean): Agent {
    return new Agent({ keepAlive, maxSockets: 1, ...this.#identity });
  }

  async send(
    agent: Agent,
    method: string,
    path: string,
    { body, timeoutMs }: { readonly body?: object; readonly timeoutMs: number },
  ): Promise<Answer> {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await this.#open(agent, method, path, { body, signal });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    return { status: response.statusCode ?? 0, body: JSON.parse(text) as Body };
  }

  /** The events of a watch, until its connection ends. A refusal is an event of the type ERROR. */
  async *watch(agent: Agent, path: string, signal: AbortSignal): AsyncGenerator<ApiEvent> {
    const response = await this.#open(agent, "GET", path, { signal });
    let rest = "";
    for await (const chunk of response) {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const event = JSON.parse(line) as ApiEvent;
        yield event.type === undefined ? { type: "ERROR", object: event.object ?? event } : event;
      }
    }
    if (rest !== "") yield { type: "ERROR", object: JSON.parse(rest) as ApiEvent["object"] };
  }

  #open(
    agent: Agent,
    method: string,
    path: string,
    { body, signal }: { readonly body?: object | undefined; readonly signal: AbortSignal },
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json" };
      const { hostname, port } = this.#server;
      const sent = request({ hostname, port, agent, method, path, headers, signal });
      sent.once("error", reject);
      sent.once("response", resolve);
      sent.end(body && JSON.stringify(body));
    });
  }
}
