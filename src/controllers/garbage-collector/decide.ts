/** Upstream: pkg/controller/garbagecollector/garbagecollector.go (attemptToDeleteItem). */
import type { ObjectMeta, OwnerReference } from "#/api/meta/v1.ts";
import { foregroundFinalizer, type GraphNode, orphanFinalizer } from "./owner-graph.ts";

/** The owners of an object by their state. */
export interface ClassifiedOwners {
  /** They exist and are not being deleted. */
  readonly solid: readonly OwnerReference[];
  /** They do not exist. */
  readonly dangling: readonly OwnerReference[];
  /** They are in foreground deletion, and wait for this object. */
  readonly waiting: readonly OwnerReference[];
}

export type Decision =
  | { readonly do: "nothing" }
  | { readonly do: "forget"; readonly owners: readonly OwnerReference[] }
  | {
      readonly do: "delete";
      readonly propagationPolicy: "Foreground" | "Background" | "Orphan";
      /**
       * Whether references must stop blocking first, to avoid that it and its owner wait for each
       * other.
       */
      readonly unblock: boolean;
    };

/** Decides the action for an object with these owners. */
export function decide(
  node: GraphNode,
  { finalizers = [] }: ObjectMeta,
  { solid, dangling, waiting }: ClassifiedOwners,
): Decision {
  if (solid.length > 0) {
    const gone = [...dangling, ...waiting];
    return gone.length === 0 ? { do: "nothing" } : { do: "forget", owners: gone };
  }
  if (waiting.length > 0 && node.dependents.size > 0) {
    const unblock = [...node.dependents].some((dependent) => dependent.isDeletingDependents);
    return { do: "delete", propagationPolicy: "Foreground", unblock };
  }
  if (waiting.length === 0 && dangling.length === 0) return { do: "nothing" };
  const propagationPolicy = finalizers.includes(orphanFinalizer)
    ? "Orphan"
    : finalizers.includes(foregroundFinalizer)
      ? "Foreground"
      : "Background";
  return { do: "delete", propagationPolicy, unblock: false };
}

/** The dependents that an object in foreground deletion waits for. */
export function blockingDependents(node: GraphNode): GraphNode[] {
  return [...node.dependents].filter((dependent) =>
    dependent.owners.some(({ uid, blockOwnerDeletion }) => uid === node.uid && blockOwnerDeletion),
  );
}
