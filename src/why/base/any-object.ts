import type { Resource } from "#/api/base/resource.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { Subject } from "./finding.ts";

/** An object of any kind. */
export interface AnyObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** A condition of any kind's status. */
export interface AnyCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export function subjectOf(resource: Resource, { metadata }: AnyObject): Subject {
  const { group, version, kind, name: plural } = resource;
  const { name = "", namespace, uid } = metadata;
  return {
    group,
    version,
    kind,
    resource: plural,
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid ? { uid } : {}),
  };
}

/** `deployment/web`. */
export const nameOf = ({ kind, name }: Pick<Subject, "kind" | "name">): string =>
  `${kind.toLowerCase()}/${name}`;

/** `-n shop `, before the arguments of a command line; nothing for the namespace of most examples. */
export const inNamespace = ({ namespace }: Pick<Subject, "namespace">): string =>
  namespace === undefined || namespace === "" || namespace === "default" ? "" : `-n ${namespace} `;

/** The conditions of an object of any kind; empty if its status has none of the usual form. */
export function conditionsOf(object: unknown): readonly AnyCondition[] {
  const { status } = object as { readonly status?: { readonly conditions?: unknown } };
  const conditions = status?.conditions;
  if (!Array.isArray(conditions)) return [];
  return conditions.filter(
    (one: Partial<AnyCondition> | null): one is AnyCondition =>
      typeof one?.type === "string" && typeof one.status === "string",
  );
}
