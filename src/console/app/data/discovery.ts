import { computed, signal } from "@preact/signals";
import {
  type ApiResource,
  type DiscoveryList,
  resourceKey,
  resourcesOf,
} from "../model/api-resource.ts";
import { getJson } from "./api.ts";

const accept =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** Every kind that the server serves; undefined until it is known. */
export const resources = signal<readonly ApiResource[] | undefined>(undefined);

/** Kinds by the key of resourceKey(). */
const byKey = computed(
  () => new Map((resources.value ?? []).map((resource) => [resourceKey(resource), resource])),
);

const byKind = computed(
  () => new Map((resources.value ?? []).map((entry) => [`${entry.group}/${entry.kind}`, entry])),
);

export const findResource = (key: string): ApiResource | undefined => byKey.value.get(key);

export const findKind = (group: string, kind: string): ApiResource | undefined =>
  byKind.value.get(`${group}/${kind}`);

/** Asks the server for its kinds: those of the core, then those of groups, extensions included. */
export async function discover(): Promise<void> {
  const [core, groups] = await Promise.all(
    ["/api", "/apis"].map((path) => getJson<DiscoveryList>(path, { accept })),
  );
  resources.value = [core, groups].flatMap((list) => (list ? resourcesOf(list) : []));
}
