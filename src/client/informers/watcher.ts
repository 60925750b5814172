/** Upstream: staging/src/k8s.io/client-go/tools/cache/reflector.go. */
import { isGone, isStatusError } from "#/machinery/meta/status-error.ts";
import type { ObjectList } from "../client.ts";
import { metaOf } from "../object-key.ts";
import type { ListOptions, WatchOptions } from "../requests.ts";
import { newerVersion } from "../resource-version.ts";
import type { WatchEvent } from "../transport/transport.ts";

/**
 * State of a watcher. A failure that isn't named below leads back to the same state after a
 * back-off.
 *
 * - empty: nothing is requested yet, or everything must be listed again. Next: streaming, or paging
 *   if the server can't stream.
 * - streaming: a watch that begins with all objects; they are held until its bookmark marks the
 *   end. If the server responds with an error, next: paging; if the connection ends before the
 *   bookmark, next: empty.
 * - paging: a list is read page by page. Pages that expired (410) lead to one list without pages.
 * - watching: the state is complete up to a version. When the connection ends, the next one
 *   continues from there. An expired version (410) leads to empty.
 */
export type WatcherState<T> =
  | ({ readonly name: "empty" } & Progress)
  | ({ readonly name: "streaming"; readonly objects: Map<string, T> } & Progress)
  | ({
      readonly name: "paging";
      readonly objects: readonly T[];
      readonly continue: string | undefined;
      readonly whole: boolean;
    } & Progress)
  | ({ readonly name: "watching"; readonly received: boolean } & Progress);

/** The fields of all states. */
interface Progress {
  /** The newest version seen; "" before the first. */
  readonly version: string;
  /** The server can't start a watch at the version: it has expired or is unknown. */
  readonly versionUnavailable: boolean;
  /** The server does not support sendInitialEvents. */
  readonly mustList: boolean;
  /** Consecutive failures. */
  readonly failures: number;
}

/** The next request to the server. */
type WatcherRequest =
  | { readonly type: "list"; readonly options: ListOptions }
  | { readonly type: "watch"; readonly options: WatchOptions };

/** The result of a request. */
export type WatcherInput<T> =
  | { readonly type: "page"; readonly list: ObjectList<T> }
  | { readonly type: "event"; readonly event: WatchEvent<T> }
  /** The server ended the watch. */
  | { readonly type: "ended" }
  | { readonly type: "failed"; readonly error: unknown };

/** The result of an input: all objects, or one change. */
type WatcherOutput<T> =
  | { readonly type: "replaced"; readonly objects: Iterable<T>; readonly version: string }
  | { readonly type: "changed"; readonly event: WatchEvent<T> }
  | undefined;

/** Objects in one page of a list; upstream's. */
const pageSize = 500;
const initialEventsEnd = "k8s.io/initial-events-end";

export const initialState: WatcherState<never> = {
  name: "empty",
  version: "",
  versionUnavailable: false,
  mustList: false,
  failures: 0,
};

/** The first requesting state after empty; other states stay. */
export function begin<T>(state: WatcherState<T>): WatcherState<T> {
  if (state.name !== "empty") return state;
  const progress = progressOf(state);
  return state.mustList ? paging(progress) : { ...progress, name: "streaming", objects: new Map() };
}

const paging = <T>(progress: Progress): WatcherState<T> & { readonly name: "paging" } => ({
  ...progress,
  name: "paging",
  objects: [],
  continue: undefined,
  whole: false,
});

/** The request of a state; begin() has been called. */
export function requestFor<T>(state: WatcherState<T>): WatcherRequest {
  const { version, versionUnavailable } = state;
  const known = versionUnavailable || version === "" ? undefined : version;
  switch (state.name) {
    case "empty":
    case "streaming": {
      const streaming = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" } as const;
      return { type: "watch", options: { ...streaming, resourceVersion: known } };
    }
    case "paging": {
      if (state.whole) return { type: "list", options: {} };
      if (state.continue) {
        return { type: "list", options: { limit: pageSize, continue: state.continue } };
      }
      const resourceVersionMatch = known ? "NotOlderThan" : undefined;
      const options = { limit: pageSize, resourceVersion: known, resourceVersionMatch } as const;
      return { type: "list", options };
    }
    case "watching":
      return { type: "watch", options: { resourceVersion: version } };
  }
}

/** The next state and the output for an input. */
export function step<T>(
  state: WatcherState<T>,
  input: WatcherInput<T>,
): readonly [WatcherState<T>, WatcherOutput<T>] {
  switch (input.type) {
    case "page":
      return addPage(state, input.list);
    case "event":
      return state.name === "streaming"
        ? addInitial(state, input.event)
        : addChange(state, input.event);
    case "ended":
      return [ended(state), undefined];
    case "failed":
      return [failed(state, input.error), undefined];
  }
}

function addPage<T>(state: WatcherState<T>, list: ObjectList<T>): ReturnType<typeof step<T>> {
  const before = state.name === "paging" ? state.objects : [];
  const objects = before.length === 0 ? list.items : [...before, ...list.items];
  const { continue: token, resourceVersion = "" } = list.metadata;
  if (!token) return known(state, objects, resourceVersion);
  const progress = { ...progressOf(state), failures: 0 };
  return [{ ...progress, name: "paging", objects, continue: token, whole: false }, undefined];
}

function addInitial<T>(
  state: WatcherState<T> & { readonly name: "streaming" },
  event: WatchEvent<T>,
): ReturnType<typeof step<T>> {
  const { uid = "", resourceVersion = "", annotations } = metaOf(event.object);
  if (event.type === "BOOKMARK") {
    if (annotations?.[initialEventsEnd] !== "true") return [state, undefined];
    return known(state, state.objects.values(), resourceVersion);
  }
  if (event.type === "DELETED") state.objects.delete(uid);
  else state.objects.set(uid, event.object);
  return [state, undefined];
}

function addChange<T>(state: WatcherState<T>, event: WatchEvent<T>): ReturnType<typeof step<T>> {
  const version = newerVersion(state.version, metaOf(event.object).resourceVersion ?? "");
  const progress = { ...progressOf(state), version, versionUnavailable: false, failures: 0 };
  return [
    { ...progress, name: "watching", received: true },
    { type: "changed", event },
  ];
}

function known<T>(
  state: WatcherState<T>,
  objects: Iterable<T>,
  version: string,
): ReturnType<typeof step<T>> {
  const progress = { ...progressOf(state), version, versionUnavailable: false, failures: 0 };
  const next = { ...progress, name: "watching", received: true } as const;
  return [next, { type: "replaced", objects, version }];
}

function ended<T>(state: WatcherState<T>): WatcherState<T> {
  const progress = progressOf(state);
  // A watch that ends before its first event means a failing server or proxy.
  if (state.name === "watching") {
    const failures = state.received ? 0 : state.failures + 1;
    return { ...progress, failures, name: "watching", received: false };
  }
  return { ...progress, failures: state.failures + 1, name: "empty" };
}

function failed<T>(state: WatcherState<T>, error: unknown): WatcherState<T> {
  const progress = { ...progressOf(state), failures: state.failures + 1 };
  if (isGone(error) || isTooLarge(error)) {
    // All pages have one version: when it expires, the whole list is requested at once.
    if (state.name === "paging" && state.continue) {
      return { ...state, objects: [], continue: undefined, whole: true };
    }
    return { ...progress, failures: state.failures, name: "empty", versionUnavailable: true };
  }
  if (state.name === "streaming" && canList(error)) {
    const mustList = refusesStreaming(error);
    return { ...paging({ ...progress, mustList }), failures: state.failures };
  }
  if (state.name === "watching") return { ...progress, name: "watching", received: false };
  if (state.name === "paging") return { ...state, ...progress };
  return { ...progress, name: "empty" };
}

/**
 * Any response but "too many requests" leads to a list: servers whose storage can't report its progress respond to streams
 * with an internal error.
 */
const canList = (error: unknown): boolean =>
  isStatusError(error) && !isStatusError(error, "TooManyRequests");

/** A server without sendInitialEvents reports it as forbidden or as an invalid combination. */
function refusesStreaming(error: unknown): boolean {
  return isStatusError(error, "Invalid") || isStatusError(error, "BadRequest");
}

/** The version is newer than the server's newest: the server was restored to an earlier state. */
function isTooLarge(error: unknown): boolean {
  if (!isStatusError(error, "Timeout")) return false;
  const { causes = [] } = error.status.details ?? {};
  return causes.some(({ reason }) => reason === "ResourceVersionTooLarge");
}

function progressOf({ version, versionUnavailable, mustList, failures }: Progress): Progress {
  return { version, versionUnavailable, mustList, failures };
}
