/** Upstream: pkg/controller/garbagecollector/{graph,graph_builder}.go. */
import type { ObjectMeta, OwnerReference } from "#/api/meta/v1.ts";

/** The next action: check whether an object must be deleted, or orphan its dependents. */
export interface Work {
  readonly kind: "delete" | "orphan";
  readonly uid: string;
}

/**
 * Identifies an object; if it is known only by a reference, the namespace is that of the dependent.
 */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** An object with its owners and dependents. */
export interface GraphNode {
  readonly uid: string;
  identity: Identity;
  owners: readonly OwnerReference[];
  readonly dependents: Set<GraphNode>;
  /** It is being deleted. */
  isDeleting: boolean;
  /** It is in foreground deletion, and waits for blocking dependents. */
  isDeletingDependents: boolean;
  /** It is known only by a reference. */
  isVirtual: boolean;
}

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

/** The owners of all objects in the cluster. Each change returns the resulting actions. */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();

  find(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** Adds or changes an object. */
  upsert(identity: Identity, metadata: ObjectMeta): Work[] {
    const { uid = "", ownerReferences = [], deletionTimestamp, finalizers = [] } = metadata;
    const node = this.#nodes.get(uid) ?? this.#add(uid, identity);
    const before = { ...node };
    node.identity = identity;
    node.isVirtual = false;
    node.isDeleting = deletionTimestamp !== undefined;
    node.isDeletingDependents = node.isDeleting && finalizers.includes(foregroundFinalizer);
    const work = this.#setOwners(node, ownerReferences);
    if (node.isDeleting && !before.isDeleting) {
      if (finalizers.includes(orphanFinalizer)) work.push({ kind: "orphan", uid });
      // An owner that waits for this object may no longer be blocked.
      for (const owner of this.#ownersOf(node))
        if (owner.isDeletingDependents) work.push(toDelete(owner));
    }
    if (node.isDeletingDependents && !before.isDeletingDependents) {
      work.push(...Array.from(node.dependents, toDelete), toDelete(node));
    }
    return work;
  }

  /** Removes a deleted object. */
  remove(uid: string): Work[] {
    const node = this.#nodes.get(uid);
    if (!node) return [];
    const owners = this.#ownersOf(node);
    for (const owner of owners) owner.dependents.delete(node);
    this.#nodes.delete(uid);
    const waiting = owners.filter((owner) => owner.isDeletingDependents);
    // Dependents keep their references to it: if needed again, it becomes virtual.
    return [...Array.from(node.dependents, toDelete), ...waiting.map(toDelete)];
  }

  #add(uid: string, identity: Identity): GraphNode {
    const node: GraphNode = {
      uid,
      identity,
      owners: [],
      dependents: new Set(),
      isDeleting: false,
      isDeletingDependents: false,
      isVirtual: true,
    };
    this.#nodes.set(uid, node);
    return node;
  }

  #ownersOf({ owners }: GraphNode): GraphNode[] {
    return owners.flatMap(({ uid }) => this.#nodes.get(uid) ?? []);
  }

  #setOwners(node: GraphNode, owners: readonly OwnerReference[]): Work[] {
    const work: Work[] = [];
    for (const old of node.owners) {
      const now = owners.find(({ uid }) => uid === old.uid);
      const owner = this.#nodes.get(old.uid);
      if (!owner) continue;
      if (!now) owner.dependents.delete(node);
      const isUnblocked = old.blockOwnerDeletion && !now?.blockOwnerDeletion;
      if (isUnblocked && owner.isDeletingDependents) work.push(toDelete(owner));
    }
    const isFirst = node.owners.length === 0 && owners.length > 0;
    const hasNew = owners.some(({ uid }) => !node.owners.some((old) => old.uid === uid));
    node.owners = owners;
    for (const reference of owners) {
      const owner = this.#nodes.get(reference.uid) ?? this.#addVirtual(reference, node, work);
      owner.dependents.add(node);
    }
    const lost =
      !hasNew && !isFirst
        ? []
        : owners.filter(({ uid }) => this.#nodes.get(uid)?.isDeletingDependents);
    if (lost.length > 0) work.push(toDelete(node));
    return work;
  }

  /** Adds an owner that is known only by a reference: its existence must be requested. */
  #addVirtual(
    { uid, apiVersion, kind, name }: OwnerReference,
    dependent: GraphNode,
    work: Work[],
  ): GraphNode {
    const { namespace } = dependent.identity;
    const owner = this.#add(uid, { apiVersion, kind, name, namespace });
    work.push({ kind: "delete", uid });
    return owner;
  }
}

const toDelete = ({ uid }: GraphNode): Work => ({ kind: "delete", uid });
