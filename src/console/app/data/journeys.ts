import { useSignal } from "@preact/signals";
import { browserClock } from "../base/browser-clock.ts";
import { useWhileShown } from "../base/while-shown.ts";
import { fieldIs, resourceKey } from "../model/api-resource.ts";
import type { Journey } from "../model/journey.ts";
import { ApiFailure, getJson } from "./api.ts";
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
  while (!stop.aborted) {
    try {
      const path = recordPath("journeys", id);
      show({ journey: await getJson<Journey>(path, { signal: stop }), isAbsent: false });
      await watchJourney(id, stop, (journey) => show({ journey, isAbsent: false }));
    } catch (error) {
      if (stop.aborted) return;
      const status = error instanceof ApiFailure ? error.status : 0;
      if (status >= 400 && status < 500) show({ journey: undefined, isAbsent: true });
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
