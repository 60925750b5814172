import { readFileSync } from "node:fs";
import { Agent, type RequestOptions, request } from "node:https";
import { readYamlOrJson } from "#/machinery/codec/object-body.ts";

export interface ApiObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly phase?: string;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly observedGeneration?: number;
    readonly containerStatuses?: readonly { readonly restartCount: number }[];
  };
  readonly message?: string;
}

export interface ApiList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly ApiObject[];
}

export interface Answer<T = ApiObject> {
  readonly status: number;
  readonly object: T;
}

interface Kubeconfig {
  readonly clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
  readonly users: { user: { "client-certificate-data": string; "client-key-data": string } }[];
}

/** Limit of a request (ms): longer than the server's own limit, so that the server always answers first. */
const requestMs = 75_000;

/** The API of a cluster, as the administrator of its kubeconfig. Rejects if there is no response. */
export class ClusterApi implements Disposable {
  readonly #options: RequestOptions;
  readonly #agent: Agent;

  constructor(kubeconfigFile: string) {
    const { clusters, users } = readYamlOrJson(readFileSync(kubeconfigFile)).value as Kubeconfig;
    const [{ cluster } = { cluster: undefined }] = clusters;
    const [{ user } = { user: undefined }] = users;
    if (!cluster || !user) throw new Error(`${kubeconfigFile} has no cluster`);
    const decode = (text: string): Buffer => Buffer.from(text, "base64");
    const { hostname, port } = new URL(cluster.server);
    this.#options = { hostname, port };
    this.#agent = new Agent({
      keepAlive: true,
      ca: decode(cluster["certificate-authority-data"]),
      cert: decode(user["client-certificate-data"]),
      key: decode(user["client-key-data"]),
    });
  }

  async send<T = ApiObject>(method: string, path: string, body?: object): Promise<Answer<T>> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const chunks: Buffer[] = [];
    const signal = AbortSignal.timeout(requestMs);
    const { status, stream } = await this.#open({ method, path, signal }, type, body);
    for await (const chunk of stream) chunks.push(chunk);
    return { status, object: JSON.parse(Buffer.concat(chunks).toString()) as T };
  }

  /** The text of a path without JSON, as of health checks. */
  async status(path: string): Promise<number> {
    const signal = AbortSignal.timeout(requestMs);
    const { status, stream } = await this.#open({ method: "GET", path, signal });
    for await (const _ of stream);
    return status;
  }

  /** The lines of a watch, until it ends. Rejects with the response of a refused one. */
  async *watch(path: string, signal: AbortSignal): AsyncGenerator<string> {
    const { stream } = await this.#open({ method: "GET", path, signal });
    let text = "";
    for await (const chunk of stream) {
      const lines = (text + chunk.toString("latin1")).split("\n");
      text = lines.pop() ?? "";
      yield* lines;
    }
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #open(
    options: RequestOptions,
    type = "application/json",
    body?: object,
  ): Promise<{ readonly status: number; readonly stream: AsyncIterable<Buffer> }> {
    const headers = { "content-type": type };
    return new Promise((resolve, reject) => {
      const sent = request({ ...this.#options, agent: this.#agent, headers, ...options });
      sent.on("error", reject);
      sent.on("response", (stream) => resolve({ status: stream.statusCode ?? 0, stream }));
      sent.end(body && JSON.stringify(body));
    });
  }
}
