import { parseFieldSelector } from "#/machinery/meta/fields.ts";
import { isPathSegmentName } from "#/machinery/meta/names.ts";
import { table } from "#/std/base/table.ts";

/**
 * The meaning of a request's method and path. Upstream:
 * staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.
 */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  readonly path: string;
  /** get, list, watch, create, update, patch, delete, deletecollection, proxy; for other paths the HTTP method. */
  readonly verb: string;
  readonly apiPrefix: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly namespace: string;
  /** The path has a namespace before the resource: namespaces themselves are in none. */
  readonly inNamespace: boolean;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Path segments from the resource on: resource, name, subresource, and any others. */
  readonly parts: readonly string[];
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

const verbByMethod: Readonly<Record<string, string>> = table({
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
});
const verbsInPath = new Set(["proxy", "watch"]);
const verbsWithoutSubresource = new Set(["proxy"]);
const namespaceSubresources = new Set(["status", "finalize"]);
const verbsWithSelectors = new Set(["list", "watch", "deletecollection"]);

interface RequestLine {
  readonly method: string;
  /** Decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Parses the request. Never fails: unknown properties stay empty. */
export function parseRequestInfo(line: RequestLine): RequestInfo {
  const { method, path } = line;
  const segments = splitPath(path);
  const apiPrefix = segments[0] ?? "";
  const grouped = apiPrefix === "apis";
  const isResourceRequest = grouped
    ? segments.length >= 4
    : apiPrefix === "api" && segments.length >= 3;
  if (!isResourceRequest) return otherRequest(method, path, apiPrefix);

  const apiGroup = grouped ? (segments[1] ?? "") : "";
  const apiVersion = segments[grouped ? 2 : 1] ?? "";
  let parts = segments.slice(grouped ? 3 : 2);
  const verbInPath = verbsInPath.has(parts[0] ?? "") && parts.length >= 2;
  let verb = verbInPath ? (parts[0] ?? "") : (verbByMethod[method] ?? "");
  if (verbInPath) parts = parts.slice(1);

  let namespace = "";
  let inNamespace = false;
  if (parts[0] === "namespaces" && parts.length > 1) {
    namespace = parts[1] ?? "";
    inNamespace = parts.length > 2 && !namespaceSubresources.has(parts[2] ?? "");
    if (inNamespace) parts = parts.slice(2);
  }
  let name = parts[1] ?? "";
  if (name === "" && verb === "get") {
    verb = isWatch(line.query) ? "watch" : "list";
    name = nameInFieldSelector(line.query) ?? "";
  }
  if (name === "" && verb === "delete") verb = "deletecollection";
  const selectors = !verbInPath && verbsWithSelectors.has(verb);
  return {
    isResourceRequest,
    path,
    verb,
    apiPrefix,
    apiGroup,
    apiVersion,
    namespace,
    inNamespace,
    resource: parts[0] ?? "",
    subresource: verbsWithoutSubresource.has(verb) ? "" : (parts[2] ?? ""),
    name,
    parts,
    fieldSelector: selectors ? (line.query.get("fieldSelector") ?? "") : "",
    labelSelector: selectors ? (line.query.get("labelSelector") ?? "") : "",
  };
}

function otherRequest(method: string, path: string, apiPrefix: string): RequestInfo {
  return {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    apiPrefix,
    apiGroup: "",
    apiVersion: "",
    namespace: "",
    inNamespace: false,
    resource: "",
    subresource: "",
    name: "",
    parts: [],
    fieldSelector: "",
    labelSelector: "",
  };
}

/** Segments of the path, which is decoded already. */
function splitPath(path: string): string[] {
  const trimmed = path.replace(/^\/+|\/+$/g, "");
  return trimmed === "" ? [] : trimmed.split("/");
}

function isWatch(query: URLSearchParams): boolean {
  const value = query.get("watch");
  return value !== null && value.toLowerCase() !== "false" && value !== "0";
}

function nameInFieldSelector(query: URLSearchParams): string | undefined {
  const text = query.get("fieldSelector");
  if (text === null || !text.includes("metadata.name")) return undefined;
  try {
    const name = parseFieldSelector(text).requiresExactMatch("metadata.name");
    return name !== undefined && isPathSegmentName(name).length === 0 ? name : undefined;
  } catch {
    return undefined; // The verb parses the selector again and reports it.
  }
}
