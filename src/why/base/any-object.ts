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

/** The conditions of an object of any kind; empty if its status has none of the usual form. */
export function conditionsOf(object: unknown): readonly AnyCondition[] {
  const { status } = object as { readonly status?: unknown };
  return conditionsIn(status);
}

/** As conditionsOf(), with those of the parts of a status, as of a Gateway's listeners and a route's parents. */
export function allConditionsOf(object: unknown): readonly AnyCondition[] {
  const { status } = object as { readonly status?: unknown };
  const parts = Object.values((status as object | null | undefined) ?? {}).filter(Array.isArray);
  return [...conditionsIn(status), ...parts.flat().flatMap(conditionsIn)];
}

function conditionsIn(part: unknown): readonly AnyCondition[] {
  const { conditions } = (part ?? {}) as { readonly conditions?: unknown };
  if (!Array.isArray(conditions)) return [];
  return conditions.filter(
    (one: Partial<AnyCondition> | null): one is AnyCondition =>
      typeof one?.type === "string" && typeof one.status === "string",
  );
}
