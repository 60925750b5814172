import type { ApiList, ApiObject, ClusterApi } from "./cluster-api.ts";

interface WatchEvent {
  readonly type: string;
  readonly object: ApiObject & { readonly code?: number };
}

/** Follows a collection over all restarts of the server. Its state must never return to an earlier one. */
export class Watcher {
  revision = 0;
  events = 0;
  lists = 0;
  readonly violations: string[] = [];
  readonly objects = new Map<string, ApiObject>();
  readonly #api: ClusterApi;
  readonly #path: string;

  constructor(api: ClusterApi, path: string) {
    this.#api = api;
    this.#path = path;
  }

  async run(signal: AbortSignal, pause: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.revision === 0) await this.#list();
        await this.#follow(signal);
      } catch {
        // The server has ended, or is starting.
      }
      await pause();
    }
  }

  async #list(): Promise<void> {
    const { status, object } = await this.#api.send<ApiList>("GET", this.#path);
    if (status !== 200) return;
    this.lists++;
    this.objects.clear();
    for (const item of object.items) this.objects.set(item.metadata.name, item);
    this.revision = Number(object.metadata.resourceVersion);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${this.revision}`;
    for await (const line of this.#api.watch(`${this.#path}?${query}`, signal)) {
      const event = JSON.parse(line) as WatchEvent & { readonly kind?: string; code?: number };
      // A refused watch is a Status, in one line.
      if (event.type === undefined) return;
      if (event.type === "ERROR") {
        if (event.object.code === 410) this.#forget();
        return;
      }
      this.#take(event);
    }
  }

  /** History was compacted: a new list must not be older. */
  #forget(): void {
    this.violations.push(`410 Gone at ${this.revision}: history is kept for minutes`);
    this.revision = 0;
  }

  #take({ type, object }: WatchEvent): void {
    const { name, resourceVersion } = object.metadata;
    const revision = Number(resourceVersion);
    if (type === "BOOKMARK") {
      this.revision = Math.max(this.revision, revision);
      return;
    }
    this.events++;
    if (revision <= this.revision) {
      this.violations.push(`${type} ${name} at ${revision} after ${this.revision}`);
    }
    const known = this.objects.has(name);
    if (type === "ADDED" ? known : !known) {
      this.violations.push(`${type} ${name} at ${revision}, which was ${known ? "" : "not "}known`);
    }
    if (type === "DELETED") this.objects.delete(name);
    else this.objects.set(name, object);
    this.revision = revision;
  }
}
