/** Upstream: pkg/controller/garbagecollector/garbagecollector.go. */
import { isDeepStrictEqual } from "node:util";
import type { ObjectMeta, OwnerReference } from "#/api/meta/v1.ts";
import type { DynamicResource, ResourceCatalog } from "#/client/discovery/resource-catalog.ts";
import type { DynamicObject } from "#/client/dynamic-object.ts";
import { metaOf } from "#/client/object-key.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { ignoreNotFound, isConflict } from "#/machinery/meta/status-error.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import type { AbsentOwners } from "./absent-owners.ts";
import { blockingDependents, type ClassifiedOwners, type Decision, decide } from "./decide.ts";
import { type Identity, referredIdentity } from "./identity.ts";
import { isRemote } from "./monitors.ts";
import {
  foregroundFinalizer,
  type GraphNode,
  type OwnerGraph,
  orphanFinalizer,
  type Work,
} from "./owner-graph.ts";

/** Whether an object was dealt with, or must be checked again after a delay. */
type Outcome = "done" | "again";

/** The parts that a Collector works with. */
interface CollectorParts {
  readonly graph: OwnerGraph;
  readonly absent: AbsentOwners;
  readonly catalog: () => ResourceCatalog;
  readonly enqueue: (work: readonly Work[]) => void;
}

/**
 * A cluster-scoped object refers to a namespaced owner, or is the guess that follows from one: no
 * retry resolves it, and nothing is known about the owner.
 */
class NamespacedOwnerError extends Error {
  override readonly name = "NamespacedOwnerError";
}

/** Processes one object at a time, in its current server state, by the state of its owners. */
export class Collector {
  readonly #context: ControllerContext<ManagerOptions>;
  readonly #graph: OwnerGraph;
  readonly #absent: AbsentOwners;
  readonly #catalog: () => ResourceCatalog;
  readonly #enqueue: (work: readonly Work[]) => void;

  constructor(context: ControllerContext<ManagerOptions>, parts: CollectorParts) {
    this.#context = context;
    this.#graph = parts.graph;
    this.#absent = parts.absent;
    this.#catalog = parts.catalog;
    this.#enqueue = parts.enqueue;
  }

  async attemptToDelete(uid: string): Promise<Outcome> {
    const node = this.#graph.find(uid);
    if (!node || (node.isDeleting && !node.isDeletingDependents)) return "done";
    try {
      await this.#check(node);
    } catch (error) {
      if (!(error instanceof NamespacedOwnerError)) throw error;
      this.#context.log.v(2, error.message, { kind: node.identity.kind, name: node.identity.name });
      return "done";
    }
    // Until a watch reports an object that is known only by references, it may disappear unnoticed.
    return this.#graph.find(uid)?.isVirtual ? "again" : "done";
  }

  async #check(node: GraphNode): Promise<void> {
    // The identity of a virtual node may change during the request.
    const { uid, identity } = node;
    const resource = this.#resourceOf(identity);
    if (resource.namespaced && !identity.namespace) throw namespacedOwner();
    const latest = await this.#read(resource, identity);
    if (!latest || latest.uid !== uid) return this.#enqueue(this.#graph.removeAt(uid, identity));
    if (node.isVirtual) return;
    if (node.isDeletingDependents) return await this.#waitForDependents(node, latest);
    const owners = await this.#classify(identity, latest.ownerReferences ?? []);
    await this.#act(decide(node, latest, owners), { node, resource, latest });
  }

  async #act(decision: Decision, { node, resource, latest }: Subject): Promise<void> {
    if (decision.do === "forget") {
      const gone = new Set(decision.owners.map((reference) => reference.uid));
      const kept = (latest.ownerReferences ?? []).filter((reference) => !gone.has(reference.uid));
      await this.#patch(resource, node.identity, latest, { ownerReferences: kept });
    }
    if (decision.do === "delete") {
      if (decision.unblock) await this.#unblock(resource, node.identity, latest);
      const { propagationPolicy, unblock } = decision;
      await this.#delete({ node, resource, latest }, propagationPolicy, unblock);
    }
  }

  /** Deletes an object whose owners have not changed since they were checked. */
  async #delete(
    { node: { uid, identity }, resource, latest }: Subject,
    propagationPolicy: "Foreground" | "Background" | "Orphan",
    isChanged: boolean,
  ): Promise<void> {
    const { client } = this.#context;
    const ref = refOf(resource, identity);
    const remove = (version: { resourceVersion?: string }) =>
      client
        .delete(resource, ref, { propagationPolicy, preconditions: { uid, ...version } })
        .catch(ignoreNotFound);
    try {
      await remove(isChanged ? {} : versionOf(latest));
    } catch (error) {
      if (!isConflict(error)) throw error;
      // Frequent changes of other fields must not prevent the deletion.
      const now = await this.#read(resource, identity);
      const isSame = isDeepStrictEqual(now?.ownerReferences, latest.ownerReferences);
      if (now?.uid !== uid || !isSame) throw error;
      await remove({});
    }
  }

  /** Orphans all dependents of an object, then removes its finalizer. */
  async orphan(uid: string): Promise<Outcome> {
    const node = this.#graph.find(uid);
    if (!node) return "done";
    const failures: unknown[] = [];
    for (const dependent of node.dependents)
      await this.#orphanOne(dependent, uid).catch((error: unknown) => failures.push(error));
    if (failures.length > 0)
      throw new AggregateError(failures, `failed to orphan ${failures.length} dependents`);
    await this.#removeFinalizer(node, orphanFinalizer);
    return "done";
  }

  async #orphanOne({ uid, identity }: GraphNode, owner: string): Promise<void> {
    const resource = this.#resourceOf(identity);
    const latest = await this.#read(resource, identity);
    const references = latest?.ownerReferences ?? [];
    if (!latest || latest.uid !== uid) return;
    const ownerReferences = references.filter((reference) => reference.uid !== owner);
    if (ownerReferences.length === references.length) return;
    await this.#patch(resource, identity, latest, { ownerReferences });
  }

  /** An object in foreground deletion is removed when no dependent blocks it. */
  async #waitForDependents(node: GraphNode, latest: ObjectMeta): Promise<void> {
    const blocking = blockingDependents(node);
    if (blocking.length === 0) {
      const isWaiting = latest.finalizers?.includes(foregroundFinalizer);
      if (isWaiting) await this.#removeFinalizer(node, foregroundFinalizer);
      return;
    }
    const idle = blocking.filter(({ isDeletingDependents }) => !isDeletingDependents);
    this.#enqueue(idle.map(({ uid }) => ({ kind: "delete", uid })));
  }

  async #classify(
    dependent: Identity,
    references: readonly OwnerReference[],
  ): Promise<ClassifiedOwners> {
    const owners = { solid: [], dangling: [], waiting: [] } as Record<
      keyof ClassifiedOwners,
      OwnerReference[]
    >;
    for (const reference of references)
      owners[await this.#stateOf(dependent, reference)].push(reference);
    return owners;
  }

  async #stateOf(
    { namespace }: Identity,
    reference: OwnerReference,
  ): Promise<keyof ClassifiedOwners> {
    const { uid } = reference;
    const identities = [undefined, namespace].map((one) => referredIdentity(reference, one));
    if (identities.some((identity) => this.#absent.has(identity, uid))) return "dangling";
    const resource = this.#resourceOf(reference);
    if (resource.namespaced && !namespace) throw namespacedOwner();
    const identity = referredIdentity(reference, resource.namespaced ? namespace : undefined);
    const owner = await this.#read(resource, identity);
    if (!owner || owner.uid !== uid) {
      this.#absent.add(identity, uid);
      return "dangling";
    }
    const isWaiting =
      owner.deletionTimestamp !== undefined && owner.finalizers?.includes(foregroundFinalizer);
    return isWaiting ? "waiting" : "solid";
  }

  /**
   * The resource of a kind in exactly this version. One that isn't served may be served later, or
   * by a server that doesn't respond: nothing is known about its objects.
   */
  #resourceOf({ apiVersion, kind }: Pick<Identity, "apiVersion" | "kind">): DynamicResource {
    const resource = this.#catalog().findKind({ apiVersion, kind });
    if (!resource || apiVersionOf(resource) !== apiVersion)
      throw new Error(`the server has no ${kind} of ${apiVersion}`);
    return resource;
  }

  async #read(resource: DynamicResource, identity: Identity): Promise<ObjectMeta | undefined> {
    const { client } = this.#context;
    const object = await client
      .get(resource, refOf(resource, identity), { metadataOnly: isRemote(client) })
      .catch(ignoreNotFound);
    return object && metaOf(object);
  }

  async #unblock(resource: DynamicResource, identity: Identity, latest: ObjectMeta): Promise<void> {
    const ownerReferences = (latest.ownerReferences ?? []).map((reference) => ({
      ...reference,
      blockOwnerDeletion: false,
    }));
    await this.#patch(resource, identity, latest, { ownerReferences });
  }

  async #removeFinalizer({ identity, uid }: GraphNode, finalizer: string): Promise<void> {
    const resource = this.#resourceOf(identity);
    const latest = await this.#read(resource, identity);
    if (!latest || latest.uid !== uid || !latest.finalizers?.includes(finalizer)) return;
    const finalizers = latest.finalizers.filter((one) => one !== finalizer);
    await this.#patch(resource, identity, latest, { finalizers });
  }

  /** Patches an object's metadata, unless it has changed meanwhile. */
  async #patch(
    resource: DynamicResource,
    identity: Identity,
    latest: ObjectMeta,
    metadata: Partial<ObjectMeta>,
  ): Promise<void> {
    const patch = { metadata: { uid: latest.uid, ...versionOf(latest), ...metadata } };
    await this.#context.client
      .patch(resource, refOf(resource, identity), patch as unknown as DynamicObject, {
        type: "merge",
      })
      .catch(ignoreNotFound);
  }
}

/** An object, its resource and its latest state. */
interface Subject {
  readonly node: GraphNode;
  readonly resource: DynamicResource;
  readonly latest: ObjectMeta;
}

const namespacedOwner = (): NamespacedOwnerError =>
  new NamespacedOwnerError("cluster-scoped objects cannot refer to namespaced owners");

const versionOf = ({ resourceVersion }: ObjectMeta) =>
  resourceVersion === undefined ? {} : { resourceVersion };

const refOf = ({ namespaced }: DynamicResource, { name, namespace }: Identity) => ({
  name,
  namespace: namespaced ? namespace : undefined,
});
