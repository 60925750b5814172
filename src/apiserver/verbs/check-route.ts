import { isPathSegmentName } from "#/machinery/meta/names.ts";
import { badRequest, methodNotAllowed } from "#/machinery/meta/status-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { RequestInfo } from "../model/request-info.ts";
import type { VersionedResource } from "../registry/served-resource.ts";

const verbsAcrossNamespaces = new Set(["list", "watch"]);
const verbsWithName = new Set(["update", "patch"]);
/** Resource, name and subresource; further segments are for a proxy. */
const ownParts = 3;

/**
 * Whether a path has the form of this resource: a namespace if and only if it is namespaced, since authorization has
 * relied on that; a name if the verb needs one. Throws 405 (400 without a router) for a verb that the path does not
 * support.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/installer.go,
 * staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
 */
export function checkRoute(info: RequestInfo, { resource, version }: VersionedResource): boolean {
  const { handle } = version;
  const { isRouted } = resource.declaration;
  const { parts, inNamespace, verb, subresource } = info;
  const named = parts.length > 1;
  const takesPath = resource.declaration.actions?.[subresource]?.["connect"] !== undefined;
  if (inNamespace && !handle.namespaced) return false;
  if (named && !takesPath) {
    if (info.name.includes("/")) return false;
    const problems = isPathSegmentName(info.name);
    if (problems.length > 0) {
      throw badRequest(`Name parameter invalid: ${goQuote(info.name)}: ${problems.join(";")}`);
    }
  }
  if (handle.namespaced && !inNamespace) {
    if (named) return false;
    if (verbsAcrossNamespaces.has(verb)) return true;
    if (!isRouted) return false;
    throw methodNotAllowed();
  }
  if (!named && verbsWithName.has(verb)) {
    throw isRouted ? methodNotAllowed() : badRequest("name must be provided");
  }
  if (!isRouted) return true;
  if (verb === "create" && named && subresource === "") throw methodNotAllowed();
  return parts.length <= ownParts || takesPath;
}
