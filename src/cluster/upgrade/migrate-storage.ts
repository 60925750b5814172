import { kubectl, mustKubectl } from "../access/kubectl.ts";
import type { ClusterPaths } from "../base/paths.ts";

/** Number of objects of one request. */
const pageSize = 200;
/** Codes of a write that was not needed: another client has written the object since, or deleted it. */
const settled = /\((Conflict|NotFound)\)/;

/** The resources whose stored version differs from before. Pure. */
export const changedResources = (
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] =>
  Object.entries(after)
    .filter(([path, hash]) => before[path] !== undefined && before[path] !== hash)
    .map(([path]) => path)
    .sort();

/** Writes every object of a resource as it is, so that it is stored in the present version. Returns their number. */
export async function rewriteObjects(paths: ClusterPaths, resource: string): Promise<number> {
  let count = 0;
  for (let next = ""; ; ) {
    const query = `limit=${pageSize}${next && `&continue=${encodeURIComponent(next)}`}`;
    const list = JSON.parse(await mustKubectl(paths, ["get", "--raw", `${resource}?${query}`])) as {
      readonly apiVersion: string;
      readonly kind: string;
      readonly metadata: { readonly continue?: string };
      readonly items?: readonly StoredItem[] | null;
    };
    const type = { apiVersion: list.apiVersion, kind: list.kind.replace(/List$/, "") };
    for (const item of list.items ?? []) {
      const body = JSON.stringify({ ...type, ...item });
      const path = objectPath(resource, item);
      const { code, err } = await kubectl(paths, ["replace", "--raw", path, "-f", "-"], {
        input: body,
      });
      if (code !== 0 && !settled.test(err)) throw new Error(`${path}: ${err.trim()}`);
      count++;
    }
    next = list.metadata.continue ?? "";
    if (next === "") return count;
  }
}

interface StoredItem {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

function objectPath(resource: string, { metadata: { name, namespace } }: StoredItem): string {
  const at = resource.lastIndexOf("/");
  const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `${resource.slice(0, at)}${place}${resource.slice(at)}/${name}`;
}
