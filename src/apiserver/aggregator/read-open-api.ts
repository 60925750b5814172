import type { V2Parts } from "../openapi/v2-document.ts";
import { maxDocumentBytes, type RemoteApi } from "./remote-api.ts";

/** URLs of another server's OpenAPI v3 documents, by paths such as "apis/GROUP/VERSION". */
export type DocumentIndex = Readonly<Record<string, string>>;

/**
 * The OpenAPI v3 documents of another server for one group; none if it does not serve them.
 *
 * Upstream: staging/src/k8s.io/kube-aggregator/pkg/controllers/openapiv3/aggregator.
 */
export async function readOpenApi(remote: RemoteApi): Promise<DocumentIndex> {
  const { group = "", version = "" } = remote.apiService.spec;
  const own = new Set([`apis/${group}`, `apis/${group}/${version}`]);
  try {
    const { status, body } = await remote.ask("/openapi/v3", { accept: "application/json" });
    if (status !== 200) return {};
    const { paths = {} } = JSON.parse(body) as {
      paths?: Record<string, { serverRelativeURL?: string }>;
    };
    return Object.fromEntries(
      Object.entries(paths)
        .filter(([path]) => own.has(path))
        .map(([path, { serverRelativeURL = "" }]) => [path, String(serverRelativeURL)]),
    );
  } catch {
    return {}; // The reason is in the APIService's condition.
  }
}

const noParts: V2Parts = { paths: new Map(), definitions: new Map() };
const definitionPrefix = "#/definitions/";

/**
 * The part of another server's OpenAPI v2 document for one group version, with its definitions; empty if it has
 * no such document.
 *
 * Upstream: staging/src/k8s.io/kube-aggregator/pkg/controllers/openapi/aggregator.
 */
export async function readOpenApiV2(remote: RemoteApi): Promise<V2Parts> {
  const { group = "", version = "" } = remote.apiService.spec;
  try {
    const { status, body } = await remote.ask(
      "/openapi/v2",
      { accept: "application/json" },
      maxDocumentBytes,
    );
    if (status !== 200) return noParts;
    const { paths = {}, definitions = {} } = JSON.parse(body) as Record<
      string,
      Record<string, unknown> | undefined
    >;
    const own = Object.entries(paths).filter(
      ([path]) => path === `/apis/${group}/` || path.startsWith(`/apis/${group}/${version}/`),
    );
    const needed = new Set<string>();
    for (const [, item] of own) addReferences(item, definitions, needed);
    const text = (entries: readonly (readonly [string, unknown])[]) =>
      new Map(entries.map(([name, value]) => [name, JSON.stringify(value)]));
    return {
      paths: text(own),
      definitions: text([...needed].map((name) => [name, definitions[name]] as const)),
    };
  } catch {
    return noParts; // The reason is in the APIService's condition.
  }
}

/** Adds the names of all definitions that a value refers to, directly or indirectly. */
function addReferences(
  value: unknown,
  definitions: Readonly<Record<string, unknown>>,
  found: Set<string>,
): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inside] of Object.entries(value)) {
    if (key === "$ref" && typeof inside === "string" && inside.startsWith(definitionPrefix)) {
      const name = inside.slice(definitionPrefix.length);
      if (found.has(name) || !Object.hasOwn(definitions, name)) continue;
      found.add(name);
      addReferences(definitions[name], definitions, found);
    } else addReferences(inside, definitions, found);
  }
}
