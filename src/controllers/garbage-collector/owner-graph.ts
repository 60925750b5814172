/** Upstream: pkg/controller/garbagecollector/{graph,graph_builder}.go. */
import type { ObjectMeta, OwnerReference } from "#/api/meta/v1.ts";
import type { AbsentOwners } from "./absent-owners.ts";
import {
  alternateIdentity,
  type Identity,
  isSameIdentity,
  partitionDependents,
  referredIdentity,
  refersTo,
} from "./identity.ts";

/**
 * The next action: check whether an object must be deleted, orphan its dependents, or report a
 * reference to an owner in another namespace.
 */
export type Work =
  | { readonly kind: "delete" | "orphan"; readonly uid: string }
  | { readonly kind: "report"; readonly dependent: GraphNode; readonly owner: OwnerReference };

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
  /** It is being deleted, and waits until its dependents are orphaned. */
  isOrphaning: boolean;
  /** It is known only by a reference. */
  isVirtual: boolean;
}

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

/** The owners of all objects in the cluster. Each change returns the resulting actions. */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #absent: AbsentOwners;

  constructor(absent: AbsentOwners) {
    this.#absent = absent;
  }

  find(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** Adds or changes an object. */
  upsert(identity: Identity, metadata: ObjectMeta): Work[] {
    const { uid = "", ownerReferences = [], deletionTimestamp, finalizers = [] } = metadata;
    const node = this.#nodes.get(uid) ?? this.#add(uid, identity);
    const work = node.isVirtual ? doubtsAbout(node, identity) : [];
    const { isOrphaning, isDeletingDependents } = node;
    node.identity = identity;
    node.isVirtual = false;
    node.isDeleting = deletionTimestamp !== undefined;
    node.isOrphaning = node.isDeleting && finalizers.includes(orphanFinalizer);
    node.isDeletingDependents = node.isDeleting && finalizers.includes(foregroundFinalizer);
    work.push(...this.#setOwners(node, ownerReferences));
    if (node.isOrphaning && !isOrphaning) work.push({ kind: "orphan", uid });
    if (node.isDeletingDependents && !isDeletingDependents) {
      work.push(...Array.from(node.dependents, toDelete), toDelete(node));
    }
    return work;
  }

  /** Removes an object whose deletion was watched. */
  remove(uid: string): Work[] {
    const node = this.#nodes.get(uid);
    return node ? this.#drop(node, node.identity) : [];
  }

  /**
   * The server has no object with this uid at these coordinates. If they are not certainly those of
   * the node, only the dependents that name them are affected.
   */
  removeAt(uid: string, identity: Identity): Work[] {
    const node = this.#nodes.get(uid);
    if (!node) return [];
    const isExpected = isSameIdentity(node.identity, identity);
    if (!node.isVirtual && isExpected) return this.#drop(node, identity);
    const { matching, others } = partitionDependents(node.dependents, uid, identity);
    if (node.isVirtual && others.length === 0) return this.#drop(node, identity);
    if (matching.length > 0) this.#absent.add(identity, uid);
    if (node.isVirtual && isExpected)
      node.identity = alternateIdentity(others, uid, identity) ?? identity;
    return matching.map(toDelete);
  }

  #drop(node: GraphNode, identity: Identity): Work[] {
    const { uid, dependents } = node;
    const owners = node.owners.flatMap((owner) => this.#nodes.get(owner.uid) ?? []);
    for (const owner of owners) owner.dependents.delete(node);
    this.#nodes.delete(uid);
    if (dependents.size > 0) this.#absent.add(identity, uid);
    const waiting = owners.filter((owner) => owner.isDeletingDependents);
    // Dependents keep their references to it: if needed again, it becomes virtual.
    return [...Array.from(dependents, toDelete), ...waiting.map(toDelete)];
  }

  #add(uid: string, identity: Identity): GraphNode {
    const node: GraphNode = {
      uid,
      identity,
      owners: [],
      dependents: new Set(),
      isDeleting: false,
      isDeletingDependents: false,
      isOrphaning: false,
      isVirtual: true,
    };
    this.#nodes.set(uid, node);
    return node;
  }

  #setOwners(node: GraphNode, owners: readonly OwnerReference[]): Work[] {
    const before = new Map(node.owners.map((reference) => [reference.uid, reference]));
    const now = new Map(owners.map((reference) => [reference.uid, reference]));
    node.owners = owners;
    const work: Work[] = [];
    for (const [uid, reference] of before) {
      const owner = this.#nodes.get(uid);
      if (!owner) continue;
      if (!now.has(uid)) owner.dependents.delete(node);
      const isUnblocked = reference.blockOwnerDeletion && !now.get(uid)?.blockOwnerDeletion;
      if (isUnblocked && owner.isDeletingDependents) work.push(toDelete(owner));
    }
    const added = owners.filter(({ uid }) => !before.has(uid));
    work.push(...this.#addToOwners(node, added));
    return work;
  }

  /** Adds an object to its owners' dependents; it is checked if a reference may be invalid. */
  #addToOwners(node: GraphNode, added: readonly OwnerReference[]): Work[] {
    const work: Work[] = [];
    let isDoubtful = false;
    for (const reference of added) {
      const known = this.#nodes.get(reference.uid);
      const guess = referredIdentity(reference, node.identity.namespace);
      const owner = known ?? this.#add(reference.uid, guess);
      owner.dependents.add(node);
      // The existence of an owner that is known only by a reference must be requested.
      if (!known) work.push(toDelete(owner));
      else if (owner.isDeletingDependents) isDoubtful = true;
      else if (!isDoubtful && isDoubtfulReference(reference, node, owner)) {
        isDoubtful = true;
        if (!owner.isVirtual && isInOtherNamespace(node, owner.identity))
          work.push({ kind: "report", dependent: node, owner: reference });
      }
    }
    if (isDoubtful) work.push(toDelete(node));
    return work;
  }
}

/** Checks the dependents of a virtual owner that expect it elsewhere than where it now was seen. */
function doubtsAbout(owner: GraphNode, observed: Identity): Work[] {
  if (isSameIdentity(owner.identity, observed)) return [];
  const { others } = partitionDependents(owner.dependents, owner.uid, observed);
  return others.flatMap((dependent) => {
    const reference = dependent.owners.find(({ uid }) => uid === owner.uid);
    if (!reference || !isInOtherNamespace(dependent, observed)) return [toDelete(dependent)];
    return [{ kind: "report", dependent, owner: reference }, toDelete(dependent)];
  });
}

const isInOtherNamespace = ({ identity }: GraphNode, owner: Identity): boolean =>
  Boolean(owner.namespace) && owner.namespace !== identity.namespace;

/** Whether a reference may not be to the owner with its uid. */
function isDoubtfulReference(
  reference: OwnerReference,
  dependent: GraphNode,
  { identity, isVirtual }: GraphNode,
): boolean {
  if (isInOtherNamespace(dependent, identity) || !refersTo(reference, identity)) return true;
  // A virtual owner without a namespace may be of a namespaced kind, named by a cluster-scoped object.
  return isVirtual && (identity.namespace ?? "") !== (dependent.identity.namespace ?? "");
}

const toDelete = ({ uid }: GraphNode): Work => ({ kind: "delete", uid });
