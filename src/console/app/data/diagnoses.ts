import { useSignal } from "@preact/signals";
import type { Diagnosis } from "#/why/base/finding.ts";
import type { Reader } from "#/why/read/reader.ts";
import type { Survey } from "#/why/why-all.ts";
import { browserClock } from "../base/browser-clock.ts";
import { loadAgain } from "../base/load-again.ts";
import { useWhileShown } from "../base/while-shown.ts";
import { wishOfPath } from "../model/wish-of-path.ts";
import { apiUrl, requestHeaders } from "./api.ts";
import type { ObjectId } from "./live-object.ts";
import { may, whenRightsKnown } from "./permissions.ts";

/** Reads for a diagnosis, with the user's own rights. What these do not permit is not asked for. */
const reader: Reader = {
  async read(path, as, signal) {
    const refused = await refusedRead(path);
    if (refused) return { status: 403, body: { message: refused } };
    const headers = requestHeaders(as === "text" ? "*/*" : "application/json");
    const response = await fetch(apiUrl(path), { headers, ...(signal ? { signal } : {}) });
    const text = await response.text();
    return { status: response.status, body: as === "json" ? parsed(text) : text };
  },
};

/** Why a path is not read: its permission, if the user does not have it as far as the server lists them. */
async function refusedRead(path: string): Promise<string | undefined> {
  const { wish, namespace } = wishOfPath(path) ?? {};
  if (!wish) return undefined;
  await whenRightsKnown(namespace);
  return may(wish, namespace) ? undefined : `not permitted: ${wish.verb} ${wish.resource}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** How long changes are waited for before an object is diagnosed again (ms): several come together. */
const settleMs = 700;

/** Limit of the objects of a kind that are looked at (count): it is done again at each change. */
const surveyed = 1000;

interface Asked<T> {
  readonly found: T | undefined;
  readonly failure: Error | undefined;
}

/** Why an object is as it is; asked again when it changes. */
export function useDiagnosis(id: ObjectId, version: string | undefined): Asked<Diagnosis> {
  return useAsked([version], settleMs, async (signal) => {
    const { why } = await loadAgain(() => import("#/why/why.ts"));
    const { resource, namespace, name } = id;
    const handle = {
      ...resource,
      name: resource.resource,
      singular: "",
      categories: [],
      subresources: [],
    };
    return why({ resource: handle, namespace, name }, { reader, now: browserClock.now, signal });
  });
}

/** What is stuck in a namespace, or in all; asked again when `version` changes. */
export function useSurvey(
  namespace: string | undefined,
  version: string | undefined,
): Asked<Survey> {
  return useAsked([namespace, version], settleMs, async (signal) => {
    if (version === undefined) return undefined;
    const { whyAll } = await loadAgain(() => import("#/why/why-all.ts"));
    const now = browserClock.now;
    return whyAll(namespace, { reader, now, logs: false, maxObjects: surveyed, signal });
  });
}

/** The answer to a question that is asked some time after its dependencies have changed. */
function useAsked<T>(
  dependencies: readonly unknown[],
  waitMs: number,
  ask: (signal: AbortSignal) => Promise<T | undefined>,
): Asked<T> {
  const state = useSignal<Asked<T>>({ found: undefined, failure: undefined });
  useWhileShown((signal) => {
    const isFirst = state.peek().found === undefined;
    void browserClock
      .wait(isFirst ? 0 : waitMs, signal)
      .then(() => (signal.aborted ? undefined : ask(signal)))
      .then(
        (found) => {
          if (!signal.aborted)
            state.value = { found: found ?? state.peek().found, failure: undefined };
        },
        (failure: Error) => {
          if (!signal.aborted) state.value = { ...state.peek(), failure };
        },
      );
  }, dependencies);
  return state.value;
}
