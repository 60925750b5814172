import type { ParamKind, ParamRef } from "#/api/admissionregistration/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import type { Registry } from "../../registry/registry.ts";
import type { VersionedResource } from "../../registry/served-resource.ts";
import type { ApiObject } from "../../registry/strategy.ts";

/** The kind of a policy's parameters, as it is served. Throws if it is not. */
export function paramResource(
  registry: Registry,
  { apiVersion = "", kind = "" }: ParamKind,
): VersionedResource {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  for (const { versions } of registry.catalog.resources) {
    for (const versioned of versions.values()) {
      const { handle } = versioned.version;
      if (handle.group === group && handle.version === version && handle.kind === kind) {
        return versioned;
      }
    }
  }
  throw new Error(
    `failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`,
  );
}

/**
 * The parameters of a binding; the policy is evaluated once for each. A single undefined if there are none. Throws if
 * they can't be determined. Upstream:
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go.
 */
export async function collectParams(
  resource: VersionedResource | undefined,
  paramRef: ParamRef | undefined,
  requestNamespace: string,
): Promise<readonly (ApiObject | undefined)[]> {
  if (!resource || !paramRef) return [undefined];
  const namespace = namespaceOf(resource, paramRef, requestNamespace);
  const found = await findParams(resource, paramRef, namespace);
  if (found.length === 0 && paramRef.parameterNotFoundAction === "Deny") {
    throw new Error("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return Promise.all(found.map((param) => resource.convert(param)));
}

function namespaceOf(
  { version }: VersionedResource,
  paramRef: ParamRef,
  requestNamespace: string,
): string {
  if (!version.handle.namespaced) {
    if (!paramRef.namespace) return "";
    throw new Error("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  const namespace = paramRef.namespace || requestNamespace;
  if (namespace !== "") return namespace;
  throw new Error(
    "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
  );
}

async function findParams(
  { resource, version }: VersionedResource,
  { name, selector }: ParamRef,
  namespace: string,
): Promise<readonly ApiObject[]> {
  const { store } = resource;
  if (name) {
    if (selector) throw new Error("paramRef.name and paramRef.selector are mutually exclusive");
    const found = store.findCached(namespace, name) ?? (await store.find(namespace, name));
    return found ? [found.parsed()] : [];
  }
  if (!selector) throw new Error("one of name or selector must be provided");
  const wanted = compileLabelSelector(selector);
  const prefix = version.handle.namespaced ? `${namespace}/` : "";
  const params: ApiObject[] = [];
  for (const [key, stored] of store.cache.snapshot().items.entries(prefix)) {
    if (!key.startsWith(prefix)) break;
    const object = stored.parsed();
    if (wanted.matches(object.metadata.labels ?? {})) params.push(object);
  }
  return params;
}
