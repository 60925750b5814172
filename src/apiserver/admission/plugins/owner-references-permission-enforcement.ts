import type { Resource } from "#/api/base/resource.ts";
import type { OwnerReference } from "#/api/meta/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import {
  type Authorizer,
  noAttributes,
  type Attributes as Question,
} from "../../model/authorizer.ts";
import type { Registry } from "../../registry/registry.ts";
import type { ApiObject } from "../../registry/strategy.ts";
import { type Admitted, admissionPlugin, type PluginServices } from "../base/admission-plugin.ts";
import { forbid } from "../base/forbid.ts";

type Request = Admitted<ApiObject>;

/**
 * Setting an owner needs permission to delete the object, and blockOwnerDeletion permission to finalize the
 * owner. Upstream: plugin/pkg/admission/gc/gc_admission.go.
 */
export const ownerReferencesPermissionEnforcement = admissionPlugin({
  name: "OwnerReferencesPermissionEnforcement",
  offByDefault: true,
  operations: ["CREATE", "UPDATE"],
  validate(attributes, services) {
    const { resource, subresource, object, oldObject } = attributes;
    if (resource.group === "" && resource.name === "pods" && subresource === "status") return;
    if (sameOwners(object?.metadata?.ownerReferences, oldObject?.metadata?.ownerReferences)) return;
    return checkChange(attributes, services);
  },
});

function sameOwners(owners: OwnerReference[] = [], old: OwnerReference[] = []): boolean {
  return (
    owners.length === old.length && owners.every((owner, index) => deepEqual(owner, old[index]))
  );
}

async function checkChange(attributes: Request, services: PluginServices): Promise<void> {
  const { authorizer, registry } = services;
  if (attributes.operation !== "CREATE") await checkDelete(attributes, authorizer);
  const blocking = newlyBlocking(attributes);
  if (blocking.length === 0) return;
  const anything = {
    ...noAttributes,
    user: attributes.user,
    verb: "update",
    apiGroup: "*",
    apiVersion: "*",
    resource: "*",
    subresource: "finalizers",
    name: "*",
  };
  if ((await authorizer.authorize(anything)).decision === "allow") return;
  for (const owner of blocking) {
    for (const question of finalizeQuestions(attributes, owner, registry)) {
      const { decision, reason, error } = await authorizer.authorize(question);
      if (decision === "allow") continue;
      throw forbid(
        attributes,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${reason}, ${error?.message ?? "<nil>"}`,
      );
    }
  }
}

async function checkDelete(attributes: Request, authorizer: Authorizer): Promise<void> {
  const { resource, subresource, namespace, name, user } = attributes;
  const { decision, reason, error } = await authorizer.authorize({
    ...noAttributes,
    user,
    verb: "delete",
    namespace,
    apiGroup: resource.group,
    apiVersion: resource.version,
    resource: resource.name,
    subresource,
    name,
  });
  if (decision === "allow") return;
  throw forbid(
    attributes,
    `cannot set an ownerRef on a resource you can't delete: ${reason}, ${error?.message ?? "<nil>"}`,
  );
}

function newlyBlocking({ object, oldObject }: Request): OwnerReference[] {
  const old = new Map((oldObject?.metadata.ownerReferences ?? []).map((ref) => [ref.uid, ref]));
  return (object.metadata.ownerReferences ?? []).filter(
    ({ uid, blockOwnerDeletion }) => blockOwnerDeletion && !old.get(uid)?.blockOwnerDeletion,
  );
}

function finalizeQuestions(
  attributes: Request,
  { apiVersion, kind, name }: OwnerReference,
  registry: Registry,
): Question[] {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const handles = handlesOf(registry, { group, version, kind });
  if (handles.length === 0) {
    throw forbid(
      attributes,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`,
    );
  }
  return handles.map((handle) => ({
    ...noAttributes,
    user: attributes.user,
    verb: "update",
    apiGroup: handle.group,
    apiVersion: handle.version,
    resource: handle.name,
    subresource: "finalizers",
    name,
    namespace: handle.namespaced ? attributes.namespace : "",
  }));
}

function handlesOf(
  registry: Registry,
  wanted: { readonly group: string; readonly version: string; readonly kind: string },
): Resource[] {
  return [...registry.catalog.resources]
    .flatMap(({ versions }) => [...versions.values()])
    .map(({ version }) => version.handle)
    .filter(
      ({ group, version, kind }) =>
        group === wanted.group && version === wanted.version && kind === wanted.kind,
    );
}
