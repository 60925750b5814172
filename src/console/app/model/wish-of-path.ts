import type { Wish } from "./rules.ts";

/** What a GET of a path asks for, and in which namespace. */
interface ScopedWish {
  readonly wish: Wish;
  readonly namespace: string | undefined;
}

/**
 * What a GET of a path needs permission for; undefined for paths that are no resource, such as discovery. Upstream:
 * staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.
 */
export function wishOfPath(url: string): ScopedWish | undefined {
  const [path = ""] = url.split("?");
  const [root, ...parts] = path.split("/").filter((part) => part !== "");
  const group = root === "apis" ? parts.shift() : root === "api" ? "" : undefined;
  parts.shift();
  if (group === undefined || parts.length === 0) return undefined;
  const isScoped = parts[0] === "namespaces" && parts.length > 2;
  const [, namespace] = isScoped ? parts.splice(0, 2) : [];
  const [resource = "", name, ...subresource] = parts;
  return {
    wish: {
      verb: name === undefined ? "list" : "get",
      group,
      resource: [resource, ...subresource].join("/"),
      ...(name === undefined ? {} : { name: decodeURIComponent(name) }),
    },
    namespace,
  };
}
