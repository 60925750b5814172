import { browserClock } from "../base/browser-clock.ts";
import { namespace } from "../base/preferences.ts";
import { resourceKey, resourcePath } from "../model/api-resource.ts";
import { objectRoute } from "../model/route.ts";
import { type ApiTable, rowsOf } from "../model/table.ts";
import { getJson } from "./api.ts";
import { findResource } from "./discovery.ts";
import { may, whenRightsKnown } from "./permissions.ts";

/** An object that was found by a part of its name. */
interface FoundObject {
  readonly id: string;
  readonly label: string;
  readonly group: string;
  readonly link: string;
}

/** Kinds whose objects users look for by name. */
const searched = [
  "pods",
  "deployments.apps",
  "services",
  "statefulsets.apps",
  "daemonsets.apps",
  "nodes",
  "configmaps",
];
/** Limit of objects of one kind that are looked at (count): the search is for the moment of typing. */
const maxObjects = 500;
/** How long found names are used again (ms): typing asks for each letter. */
const keptMs = 10_000;

interface Names {
  readonly atMs: number;
  readonly objects: Promise<readonly FoundObject[]>;
}

/** Names by path. It holds one entry for each kind that is searched, in the namespace that was searched last. */
const kept = new Map<string, Names>();

/** Objects whose name contains what was typed. */
export async function searchObjects(typed: string, signal: AbortSignal): Promise<FoundObject[]> {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const lists = await Promise.all(searched.map(namesOf));
  if (signal.aborted) return [];
  return lists
    .flat()
    .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
    .slice(0, maxObjects);
}

async function namesOf(key: string): Promise<readonly FoundObject[]> {
  const resource = findResource(key);
  if (!resource) return [];
  await whenRightsKnown(namespace.peek());
  const { group, resource: plural, kind } = resource;
  if (!may({ verb: "list", group, resource: plural }, namespace.peek())) return [];
  const path = resourcePath(resource, namespace.peek());
  const known = kept.get(path);
  const nowMs = browserClock.now();
  if (known && nowMs - known.atMs < keptMs) return known.objects;
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
  const objects = getJson<ApiTable>(`${path}?limit=${maxObjects}`, { accept }).then(
    (table) =>
      rowsOf(table).map(({ id, name, namespace: own }) => ({
        id,
        label: own === undefined ? name : `${own}/${name}`,
        group: kind,
        link: objectRoute(resourceKey(resource), { namespace: own, name }),
      })),
    () => {
      // The next letter asks again.
      kept.delete(path);
      return [];
    },
  );
  if (kept.size > searched.length) kept.clear();
  kept.set(path, { atMs: nowMs, objects });
  return objects;
}
