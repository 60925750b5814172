/** Upstream: pkg/controller/garbagecollector/garbagecollector.go. */
import type { ObjectMeta, OwnerReference } from "#/api/meta/v1.ts";
import type { DynamicResource, ResourceCatalog } from "#/client/discovery/resource-catalog.ts";
import type { DynamicObject } from "#/client/dynamic-object.ts";
import { metaOf } from "#/client/object-key.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { blockingDependents, type ClassifiedOwners, decide } from "./decide.ts";
import {
  foregroundFinalizer,
  type GraphNode,
  type Identity,
  type OwnerGraph,
  orphanFinalizer,
  type Work,
} from "./owner-graph.ts";

/** Limit of cached absent owners, which saves a request per dependent. */
const maxAbsent = 500;

/** Processes one object at a time, in its current server state, by the state of its owners. */
export class Collector {
  readonly #context: ControllerContext<ManagerOptions>;
  readonly #graph: OwnerGraph;
  readonly #catalog: () => ResourceCatalog;
  readonly #enqueue: (work: readonly Work[]) => void;
  readonly #absent = new Set<string>();

  constructor(
    context: ControllerContext<ManagerOptions>,
    graph: OwnerGraph,
    catalog: () => ResourceCatalog,
    enqueue: (work: readonly Work[]) => void,
  ) {
    this.#context = context;
    this.#graph = graph;
    this.#catalog = catalog;
    this.#enqueue = enqueue;
  }

  async attemptToDelete(uid: string): Promise<void> {
    const node = this.#graph.find(uid);
    if (!node || (node.isDeleting && !node.isDeletingDependents)) return;
    const resource = this.#resourceOf(node.identity);
    const latest = await this.#read(resource, node.identity);
    if (!latest || latest.uid !== uid) {
      this.#rememberAbsent(uid);
      this.#enqueue(this.#graph.remove(uid));
      return;
    }
    if (node.isVirtual) return;
    if (node.isDeletingDependents) return await this.#waitForDependents(node, latest);
    const owners = await this.#classify(node, latest.ownerReferences ?? []);
    const decision = decide(node, latest, owners);
    if (decision.do === "forget") {
      const gone = new Set(decision.owners.map((reference) => reference.uid));
      const kept = (latest.ownerReferences ?? []).filter((reference) => !gone.has(reference.uid));
      await this.#patch(resource, node.identity, latest, { ownerReferences: kept });
    }
    if (decision.do === "delete") {
      if (decision.unblock) await this.#unblock(resource, node.identity, latest);
      const { propagationPolicy } = decision;
      const preconditions = { uid, ...(decision.unblock ? {} : versionOf(latest)) };
      await this.#context.client
        .delete(resource, refOf(resource, node.identity), { propagationPolicy, preconditions })
        .catch(ignoreNotFound);
    }
  }

  /** Orphans all dependents of an object, then removes its finalizer. */
  async orphan(uid: string): Promise<void> {
    const node = this.#graph.find(uid);
    if (!node) return;
    for (const dependent of node.dependents) {
      const resource = this.#resourceOf(dependent.identity);
      const latest = await this.#read(resource, dependent.identity);
      const references = latest?.ownerReferences ?? [];
      if (!latest || latest.uid !== dependent.uid) continue;
      const ownerReferences = references.filter((reference) => reference.uid !== uid);
      if (ownerReferences.length === references.length) continue;
      await this.#patch(resource, dependent.identity, latest, { ownerReferences });
    }
    await this.#removeFinalizer(node, orphanFinalizer);
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
    node: GraphNode,
    references: readonly OwnerReference[],
  ): Promise<ClassifiedOwners> {
    const owners = { solid: [], dangling: [], waiting: [] } as Record<
      keyof ClassifiedOwners,
      OwnerReference[]
    >;
    for (const reference of references)
      owners[await this.#stateOf(node, reference)].push(reference);
    return owners;
  }

  async #stateOf(node: GraphNode, reference: OwnerReference): Promise<keyof ClassifiedOwners> {
    const { uid, apiVersion, kind, name } = reference;
    if (this.#absent.has(uid)) return "dangling";
    const resource = this.#resourceOf(reference);
    const { namespace } = node.identity;
    if (resource.namespaced && !namespace) {
      this.#recordInvalid(node, reference);
      return "dangling";
    }
    const owner = await this.#read(resource, { apiVersion, kind, name, namespace });
    if (!owner || owner.uid !== uid) {
      this.#rememberAbsent(uid);
      return "dangling";
    }
    const isWaiting =
      owner.deletionTimestamp !== undefined && owner.finalizers?.includes(foregroundFinalizer);
    return isWaiting ? "waiting" : "solid";
  }

  #recordInvalid({ identity, uid }: GraphNode, { kind, name, apiVersion }: OwnerReference): void {
    const message = `ownerRef [${apiVersion}/${kind}, namespace: , name: ${name}, uid: ${uid}] does not exist in namespace ""`;
    const { recorder } = this.#context;
    recorder.event({ ...identity, uid }, "Warning", "OwnerRefInvalidNamespace", message);
  }

  #resourceOf({ apiVersion, kind }: Pick<Identity, "apiVersion" | "kind">): DynamicResource {
    const resource = this.#catalog().findKind({ apiVersion, kind });
    if (!resource) throw new Error(`the server has no ${kind} of ${apiVersion}`);
    return resource;
  }

  async #read(resource: DynamicResource, identity: Identity): Promise<ObjectMeta | undefined> {
    const { client } = this.#context;
    const object = await client.get(resource, refOf(resource, identity)).catch(ignoreNotFound);
    return object && metaOf(object);
  }

  #rememberAbsent(uid: string): void {
    this.#absent.delete(uid);
    this.#absent.add(uid);
    const [oldest] = this.#absent;
    if (this.#absent.size > maxAbsent && oldest !== undefined) this.#absent.delete(oldest);
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

const versionOf = ({ resourceVersion }: ObjectMeta) =>
  resourceVersion === undefined ? {} : { resourceVersion };

const refOf = ({ namespaced }: DynamicResource, { name, namespace }: Identity) => ({
  name,
  namespace: namespaced ? namespace : undefined,
});
