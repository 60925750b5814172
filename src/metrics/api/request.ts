import type { ResourceAttributes } from "#/api/authorization/v1.ts";

export const group = "metrics.k8s.io";
export const version = "v1beta1";
export const apiVersion = `${group}/${version}`;
const prefix = `/apis/${apiVersion}/`;

/** A request for the API's resources. */
export interface MetricsRequest {
  readonly verb: string;
  /** "" for all namespaces, or for a resource without. */
  readonly namespace: string;
  readonly resource: string;
  /** "" for a list. */
  readonly name: string;
  readonly subresource: string;
}

/** The request of a path: nodes, nodes/NAME, pods, namespaces/NS/pods/NAME; undefined for paths of no resource. */
export function findRequest(url: URL, method: string): MetricsRequest | undefined {
  if (!url.pathname.startsWith(prefix)) return undefined;
  const parts = partsOf(url.pathname.slice(prefix.length));
  if (!parts || parts.length === 0) return undefined;
  const isNamespaced = parts[0] === "namespaces" && parts.length > 2;
  const [resource = "", name = "", ...rest] = isNamespaced ? parts.slice(2) : parts;
  const namespace = isNamespaced ? (parts[1] ?? "") : "";
  const verb = verbOf(method, name !== "", isTrue(url.searchParams.get("watch")));
  return { verb, namespace, resource, name, subresource: rest.join("/") };
}

/** The attributes of a request, for its authorization. */
export function attributesOf(url: URL, method: string): ResourceAttributes | undefined {
  const found = findRequest(url, method);
  return found && { group, version, ...found };
}

/** The decoded parts of a path; undefined if they are malformed. */
function partsOf(path: string): string[] | undefined {
  try {
    return path.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

const isTrue = (value: string | null): boolean => value === "true" || value === "1";

/** Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go. */
function verbOf(method: string, isOne: boolean, isWatch: boolean): string {
  switch (method) {
    case "GET":
    case "HEAD":
      return isWatch ? "watch" : isOne ? "get" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return isOne ? "delete" : "deletecollection";
    default:
      return "";
  }
}
