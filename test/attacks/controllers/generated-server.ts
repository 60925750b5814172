import type { Resource } from "#/api/base/resource.ts";
import { metaOf } from "#/client/object-key.ts";
import { resourcePath } from "#/client/resource-path.ts";
import type {
  ApiRequest,
  ApiResponse,
  Transport,
  WatchEvent,
} from "#/client/transport/transport.ts";
import { notFound } from "#/machinery/meta/status-error.ts";

/** Objects of one resource, all of them at the beginning. */
export interface Generated {
  readonly resource: Resource;
  readonly objects: readonly object[];
}

/**
 * A server whose content is generated: lists and watches deliver it, writes succeed and are not
 * stored. So only the work of its clients costs time.
 */
export class GeneratedServer implements Transport {
  readonly isWithoutNulls = true;
  /** Number of requests so far. */
  requests = 0;
  readonly #objects = new Map<string, readonly object[]>();
  readonly #watchers = new Map<string, Set<(event: WatchEvent<unknown>) => void>>();
  #version = 1;

  constructor(content: readonly Generated[]) {
    for (const { resource, objects } of content)
      this.#objects.set(resourcePath(resource, {}), objects);
  }

  /** Sends an event to all watches of a resource. */
  send(resource: Resource, type: "ADDED" | "MODIFIED" | "DELETED", object: object): void {
    const event = { type, object: this.#versioned(object) };
    for (const push of this.#watchers.get(resourcePath(resource, {})) ?? []) push(event);
  }

  async request({ method, path, body }: ApiRequest): Promise<ApiResponse> {
    this.requests++;
    const answer = (status: number, value: unknown): ApiResponse => ({
      status,
      headers: { "content-type": "application/json" },
      body: value,
      warnings: [],
    });
    const items = this.#objects.get(path);
    if (method === "GET" && items)
      return answer(200, { metadata: { resourceVersion: "1" }, items });
    if (method === "GET") return answer(404, notFound({ group: "", name: "things" }, path).status);
    // The result of a patch is unknown here, so it is not given.
    if (method === "PATCH" || method === "DELETE") return answer(200, { kind: "Status" });
    return answer(method === "POST" ? 201 : 200, this.#versioned((body ?? {}) as object));
  }

  async *watch({ path, signal }: ApiRequest): AsyncGenerator<WatchEvent<unknown>> {
    for (const object of this.#objects.get(path) ?? []) yield { type: "ADDED", object };
    const annotations = { "k8s.io/initial-events-end": "true" };
    yield { type: "BOOKMARK", object: { metadata: { resourceVersion: "1", annotations } } };
    const waiting: WatchEvent<unknown>[] = [];
    let wake = Promise.withResolvers<void>();
    const watchers = this.#watchers.get(path) ?? new Set();
    this.#watchers.set(path, watchers);
    watchers.add((event) => {
      waiting.push(event);
      wake.resolve();
    });
    signal?.addEventListener("abort", () => wake.resolve(), { once: true });
    while (!signal?.aborted) {
      await wake.promise;
      wake = Promise.withResolvers<void>();
      while (waiting.length > 0) yield waiting.shift() as WatchEvent<unknown>;
    }
  }

  stream(): Promise<never> {
    return Promise.reject(new Error("nothing to stream"));
  }

  upgrade(): Promise<never> {
    return Promise.reject(new Error("nothing to upgrade to"));
  }

  [Symbol.asyncDispose]: () => Promise<void> = async () => undefined;

  #versioned(object: object): object {
    this.#version++;
    const { name = `made-${this.#version}`, uid = `uid-${name}` } = metaOf(object);
    const metadata = { ...metaOf(object), name, uid, resourceVersion: `${this.#version}` };
    return { ...object, metadata };
  }
}
