/** Upstream: staging/src/k8s.io/client-go/tools/watch/until.go. */
import { isGone, isNotFound } from "#/machinery/meta/status-error.ts";
import type { Unstructured, UnstructuredList } from "../base/unstructured.ts";
import type { Context } from "../command/context.ts";
import type { ResourceInfo } from "./resource-info.ts";
import { collectionPath } from "./selector-infos.ts";

/** The state of an object after an event; undefined once it is deleted. */
type Observe<T> = (object: Unstructured | undefined) => T | undefined;

/** Thrown on timeout. */
export class WaitTimeout extends Error {
  override readonly name = "WaitTimeout";

  constructor() {
    super("timed out waiting for the condition");
  }
}

/** Watches one object until `observe` returns a value. Throws WaitTimeout. */
export async function untilObserved<T>(
  context: Context,
  info: ResourceInfo,
  observe: Observe<T>,
  timeoutMs: number,
): Promise<T> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  context.signal.addEventListener("abort", abort, { once: true });
  using _timer = context.clock.setTimer(timeoutMs, () => stop.abort(new WaitTimeout()));
  try {
    for (;;) {
      const found = await observeOnce(context, info, observe, stop.signal);
      if (found !== undefined) return found;
      await context.clock.sleep(200, stop.signal);
    }
  } catch (error) {
    if (stop.signal.reason instanceof WaitTimeout) throw stop.signal.reason;
    throw error;
  } finally {
    context.signal.removeEventListener("abort", abort);
    stop.abort();
  }
}

/** Lists and watches until the server ends the watch. */
async function observeOnce<T>(
  context: Context,
  info: ResourceInfo,
  observe: Observe<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const client = await context.cluster.client();
  const path = collectionPath(info.mapping, info.namespace);
  const fieldSelector = `metadata.name=${info.name}`;
  const list = await client.request<UnstructuredList>({
    method: "GET",
    path,
    query: { fieldSelector },
    signal,
  });
  const [first] = list.items ?? [];
  const seen = observe(first === undefined ? undefined : { ...info.mappedKind(), ...first });
  if (seen !== undefined) return seen;
  const { resourceVersion } = list.metadata;
  const query = { watch: true, fieldSelector, resourceVersion, allowWatchBookmarks: true };
  try {
    for await (const { type, object } of client.transport.watch({
      method: "GET",
      path,
      query,
      signal,
    })) {
      if (type === "BOOKMARK") continue;
      const result = observe(type === "DELETED" ? undefined : (object as Unstructured));
      if (result !== undefined) return result;
    }
  } catch (error) {
    if (!isGone(error) && !isNotFound(error)) throw error;
  }
  return undefined;
}
