import { useComputed, useSignal } from "@preact/signals";
import { useWhileShown } from "../base/while-shown.ts";
import { type ApiResource, fieldIs, resourcePath } from "../model/api-resource.ts";
import type { ApiObject } from "../model/object.ts";
import type { ApiFailure } from "./api.ts";
import { LiveList } from "./live-list.ts";
import type { LiveState } from "./live-table.ts";

/** Names an object. */
export interface ObjectId {
  readonly resource: ApiResource;
  readonly namespace: string | undefined;
  readonly name: string;
}

interface LiveObject {
  /** The last known version, also of an object that is gone. */
  readonly object: ApiObject | undefined;
  readonly isGone: boolean;
  readonly state: LiveState;
  readonly failure: ApiFailure | undefined;
}

/** An object, followed while its page is shown. */
export function useLiveObject({ resource, namespace, name }: ObjectId): LiveObject {
  const list = useSignal<LiveList | undefined>(undefined);
  const last = useSignal<ApiObject | undefined>(undefined);
  useWhileShown((stop) => {
    const query = { fieldSelector: fieldIs("metadata.name", name) };
    const live = new LiveList(resourcePath(resource, namespace), { query, signal: stop });
    const end = live.items.subscribe(([object]) => {
      if (object) last.value = object;
    });
    stop.addEventListener("abort", end);
    list.value = live;
  }, []);
  return useComputed(() => {
    const { items, state, failure } = list.value ?? {};
    const { group, version, kind } = resource;
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const [found] = items?.value ?? [];
    const object = found && { apiVersion, kind, ...found };
    const known = state?.value ?? "loading";
    return {
      object: object ?? last.value,
      isGone: known === "live" && object === undefined,
      state: known,
      failure: failure?.value,
    };
  }).value;
}

/** Objects of a resource that a query selects, followed while they are shown. */
export function useLiveList(
  path: string | undefined,
  query: Readonly<Record<string, string>> = {},
): LiveList | undefined {
  const list = useSignal<LiveList | undefined>(undefined);
  useWhileShown(
    (stop) => {
      list.value = path === undefined ? undefined : new LiveList(path, { query, signal: stop });
    },
    [path, JSON.stringify(query)],
  );
  return list.value;
}
