/** Upstream: sigs.k8s.io/kustomize/kyaml/resid. */
import { isClusterScoped } from "./scope.ts";

/** A group, version and kind; in a selector, an empty field matches everything. */
export interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The identity of an object. */
export interface ResourceId extends Gvk {
  readonly name: string;
  readonly namespace: string;
}

/** The default namespace. */
const noNamespace = "_non_namespaceable_";

/** Such as `Deployment.v1.apps`. */
export function gvkText({ group, version, kind }: Gvk): string {
  return `${kind || "[noKind]"}.${version || "[noVer]"}.${group || "[noGrp]"}`;
}

/** Such as `Deployment.v1.apps/web.shop`. */
export function idText(id: ResourceId): string {
  return `${gvkText(id)}/${id.name || "[noName]"}.${id.namespace || "[noNs]"}`;
}

/** An id as Go prints the struct. */
export function goId(id: ResourceId): string {
  const gvk = `resid.Gvk{Group:"${id.group}", Version:"${id.version}", Kind:"${id.kind}", isClusterScoped:${isClusterScoped(id)}}`;
  return `resid.ResId{Gvk:${gvk}, Name:"${id.name}", Namespace:"${id.namespace}"}`;
}

export function sameGvk(left: Gvk, right: Gvk): boolean {
  return left.group === right.group && left.version === right.version && left.kind === right.kind;
}

/** True if two ids identify the same object; an empty namespace is the default one. */
export function sameId(left: ResourceId, right: ResourceId): boolean {
  return (
    left.name === right.name &&
    sameGvk(left, right) &&
    effectiveNamespace(left) === effectiveNamespace(right)
  );
}

/** The effective namespace of an object. */
export function effectiveNamespace(id: ResourceId): string {
  if (isClusterScoped(id)) return noNamespace;
  return id.namespace === "" ? "default" : id.namespace;
}

/** A key that is equal for all ids of one object. */
export function idKey(id: ResourceId): string {
  return `${gvkText(id)}/${id.name}/${effectiveNamespace(id)}`;
}

export function isSelected(gvk: Gvk, selector: Partial<Gvk>): boolean {
  return (
    (!selector.group || selector.group === gvk.group) &&
    (!selector.version || selector.version === gvk.version) &&
    (!selector.kind || selector.kind === gvk.kind)
  );
}

/** True if a selector without patterns matches an id. */
export function isSelectedBy(id: ResourceId, selector: Partial<ResourceId>): boolean {
  const wanted = { group: "", version: "", kind: "", name: "", namespace: "", ...selector };
  return (
    (wanted.name === "" || wanted.name === id.name) &&
    (wanted.namespace === "" || effectiveNamespace(wanted) === effectiveNamespace(id)) &&
    isSelected(id, wanted)
  );
}

const first =
  "Namespace ResourceQuota StorageClass CustomResourceDefinition ServiceAccount PodSecurityPolicy Role ClusterRole RoleBinding ClusterRoleBinding ConfigMap Secret Endpoints Service LimitRange PriorityClass PersistentVolume PersistentVolumeClaim Deployment StatefulSet CronJob PodDisruptionBudget";

/** The kinds that are sorted first, and those that are sorted last. */
export const defaultOrder = {
  orderFirst: first.split(" "),
  orderLast: ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
} as const;

/** The rank of a kind: below 0 for the first ones, above 0 for the last ones. */
export function kindRank(
  kind: string,
  { orderFirst, orderLast }: { orderFirst: readonly string[]; orderLast: readonly string[] },
): number {
  if (orderLast.includes(kind)) return 1 + orderLast.lastIndexOf(kind);
  if (orderFirst.includes(kind)) return orderFirst.lastIndexOf(kind) - orderFirst.length;
  return 0;
}

/** A text that sorts kinds of the same rank. */
export function gvkSortText({ group, version, kind }: Gvk): string {
  return [group || "~G", version || "~V", kind || "~K"].join("_");
}
