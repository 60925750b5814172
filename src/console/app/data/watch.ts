import { browserClock } from "../base/browser-clock.ts";
import { isConnected } from "../base/session.ts";
import { ApiFailure, ConnectionFailure, getJson } from "./api.ts";
import { lines, textStream } from "./stream.ts";

/** One event of a watch. */
export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: T;
}

/** A list as the API sends it. */
interface ApiList {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
}

interface WatchOptions<List extends ApiList, Item> {
  /** Path of the resource, without a query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly accept?: string;
  readonly signal: AbortSignal;
  /** Called with each page of a list; `isFirst` says that what is known is out of date. */
  page(list: List, isFirst: boolean, isLast: boolean): void;
  event(event: WatchEvent<Item>): void;
  /** Called when the resource cannot be read: not found, or not permitted. The watch ends. */
  refused(failure: ApiFailure): void;
  /** Called when the server is lost, and when it is found again. */
  live(isLive: boolean): void;
}

/** Objects of a page of a list: a page is parsed in less time than a frame has. */
const pageSize = 500;
/** Limit of the wait between two attempts (ms): a server that is back is found soon. */
const maxWaitMs = 5_000;
const minWaitMs = 300;

/**
 * Lists a resource in pages, then follows it until the signal aborts. When the connection is lost it continues from the
 * last version, or lists again if the server does not know that any more.
 */
export async function watchResource<List extends ApiList, Item>(
  options: WatchOptions<List, Item>,
): Promise<void> {
  const { signal } = options;
  let version: string | undefined;
  let waitMs = minWaitMs;
  while (!signal.aborted) {
    try {
      version ??= await listPages(options);
      if (signal.aborted) return;
      options.live(true);
      version = await follow(options, version);
      waitMs = minWaitMs;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiFailure && (error.status === 410 || isExpired(error))) {
        version = undefined;
        continue;
      }
      if (error instanceof ApiFailure && ![429, 500, 503, 504].includes(error.status)) {
        options.refused(error);
        return;
      }
      options.live(false);
      if (error instanceof ConnectionFailure) isConnected.value = false;
      await browserClock.wait(waitMs, signal);
      waitMs = Math.min(waitMs * 2, maxWaitMs);
    }
  }
}

const isExpired = ({ reason }: ApiFailure): boolean => reason === "Expired" || reason === "Gone";

async function listPages<List extends ApiList, Item>(
  options: WatchOptions<List, Item>,
): Promise<string> {
  const { path, query = {}, signal } = options;
  const accept = options.accept ?? "application/json";
  let next: string | undefined;
  let isFirst = true;
  for (;;) {
    const parameters = new URLSearchParams({ ...query, limit: String(pageSize) });
    if (next !== undefined) parameters.set("continue", next);
    const list = await getJson<List>(`${path}?${parameters}`, { accept, signal });
    next = list.metadata.continue || undefined;
    options.page(list, isFirst, next === undefined);
    if (next === undefined) return list.metadata.resourceVersion ?? "";
    isFirst = false;
  }
}

/** Returns the version to continue from. */
async function follow<List extends ApiList, Item>(
  options: WatchOptions<List, Item>,
  from: string,
): Promise<string> {
  const { path, query = {}, signal, accept } = options;
  let version = from;
  const parameters = new URLSearchParams({
    ...query,
    watch: "1",
    allowWatchBookmarks: "true",
    resourceVersion: from,
  });
  const pieces = textStream(`${path}?${parameters}`, { signal, ...(accept ? { accept } : {}) });
  for await (const line of lines(pieces)) {
    isConnected.value = true;
    const event = JSON.parse(line) as WatchEvent<Item & VersionedItem>;
    if (event.type === "ERROR") {
      const { code = 500 } = event.object as { code?: number };
      throw new ApiFailure(code, event.object);
    }
    version = versionOf(event.object) ?? version;
    if (event.type !== "BOOKMARK") options.event(event);
  }
  return version;
}

interface VersionedItem {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly rows?: readonly {
    readonly object?: { readonly metadata?: { resourceVersion?: string } };
  }[];
}

function versionOf({ metadata, rows }: VersionedItem): string | undefined {
  return rows?.at(-1)?.object?.metadata?.resourceVersion || metadata?.resourceVersion || undefined;
}
