import type { RemoteApi } from "./remote-api.ts";

/** Where another server has its OpenAPI v3 documents: URLs by paths such as "apis/GROUP/VERSION". */
export type DocumentIndex = Readonly<Record<string, string>>;

/**
 * The OpenAPI v3 documents of another server that are about one group; none when it doesn't say.
 *
 * Upstream: kube-aggregator/pkg/controllers/openapiv3/aggregator.
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
        .map(([path, { serverRelativeURL = "" }]) => [path, serverRelativeURL]),
    );
  } catch {
    return {}; // Why is in the APIService's condition.
  }
}
