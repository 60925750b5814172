import { useSignal } from "@preact/signals";
import { browserClock } from "../base/browser-clock.ts";
import { useWhileShown } from "../base/while-shown.ts";
import { fieldIs, resourceKey } from "../model/api-resource.ts";
import type { Journey } from "../model/journey.ts";
import { ApiFailure, getJson } from "./api.ts";
import { findResource } from "./discovery.ts";
import type { ObjectId } from "./live-object.ts";
import { lines, textStream } from "./stream.ts";

const root = "/apis/journey.k8ts.dev/v1";

/** The path of what is recorded about an object; `kind` is "journeys" or "histories". */
export function recordPath(
  kind: "journeys" | "histories",
  { resource, namespace, name }: ObjectId,
  more: Readonly<Record<string, string>> = {},
): string {
  const scope = resource.namespaced && namespace ? `/namespaces/${namespace}` : "";
  const query = new URLSearchParams({ resource: resourceKey(resource), ...more });
  return `${root}${scope}/${kind}/${encodeURIComponent(name)}?${query}`;
}

interface JourneyState {
  /** Undefined until it is known. */
  readonly journey: Journey | undefined;
  /** The server records no journeys, or none of this object. */
  readonly isAbsent: boolean;
}

/** The wait before a journey is asked for again (ms). */
const againMs = 1_500;

/** The journey of an object, followed while it is shown. */
export function useJourney(id: ObjectId): JourneyState {
  const state = useSignal<JourneyState>({ journey: undefined, isAbsent: false });
  useWhileShown(
    (stop) => {
      void follow(id, stop, (next) => {
        state.value = next;
      });
    },
    [resourceKey(id.resource), id.namespace, id.name],
  );
  return state.value;
}

async function follow(
  id: ObjectId,
  stop: AbortSignal,
  show: (state: JourneyState) => void,
): Promise<void> {
  if (findResource("journeys.journey.k8ts.dev") === undefined) {
    show({ journey: undefined, isAbsent: true });
    return;
  }
  const found = (journey: Journey) => show({ journey, isAbsent: false });
  let isAbsent = false;
  while (!stop.aborted) {
    try {
      if (!isAbsent) found(await getJson<Journey>(recordPath("journeys", id), { signal: stop }));
      await watchJourney(id, stop, found);
    } catch (error) {
      if (stop.aborted) return;
      const status = error instanceof ApiFailure ? error.status : 0;
      isAbsent = status >= 400 && status < 500;
      if (isAbsent) show({ journey: undefined, isAbsent });
      if (status === 403) return;
    }
    await browserClock.wait(againMs, stop);
  }
}

async function watchJourney(
  { resource, namespace, name }: ObjectId,
  stop: AbortSignal,
  show: (journey: Journey) => void,
): Promise<void> {
  const scope = resource.namespaced && namespace ? `/namespaces/${namespace}` : "";
  const query = new URLSearchParams({
    watch: "1",
    resource: resourceKey(resource),
    fieldSelector: fieldIs("metadata.name", name),
  });
  const pieces = textStream(`${root}${scope}/journeys?${query}`, { signal: stop });
  for await (const line of lines(pieces)) {
    const { type, object } = JSON.parse(line) as {
      readonly type: string;
      readonly object: Journey;
    };
    if (type === "ADDED" || type === "MODIFIED") show(object);
  }
}
