import type { ResourceAttributes } from "#/api/authorization/v1.ts";

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Paths with a permission of their own besides nodes/proxy, which covers them as well. */
const fineGrained: readonly [path: string, subresource: string][] = [
  ["/allocatedPods", "pods"],
  ["/pods", "pods"],
  ["/healthz", "healthz"],
  ["/configz", "configz"],
  ["/runningpods", "pods"],
];

const separate: readonly [path: string, subresource: string][] = [
  ["/stats", "stats"],
  ["/metrics", "metrics"],
  ["/logs", "log"],
  ["/checkpoint", "checkpoint"],
  ["/statusz", "statusz"],
  ["/flagz", "configz"],
];

/**
 * The permissions that a request to the kubelet needs, for the API server's review: any one of these is enough.
 *
 * Upstream: pkg/kubelet/server/auth.go.
 */
export function requestAttributes(
  method: string,
  path: string,
  nodeName: string,
): ResourceAttributes[] {
  const subresourceIn = (table: typeof separate) =>
    table.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1];
  const fine = subresourceIn(fineGrained);
  const subresources = [...(fine ? [fine] : []), subresourceIn(separate) ?? "proxy"];
  return subresources.map((subresource) => ({
    verb: verbs[method] ?? "",
    version: "v1",
    resource: "nodes",
    subresource,
    name: nodeName,
  }));
}
