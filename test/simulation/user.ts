import { type Deployment, daemonSets, deployments, statefulSets } from "#/api/apps/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import { cronJobs, jobs } from "#/api/batch/v1.ts";
import { configMaps, namespaces, nodes, type Pod, pods, resourceQuotas } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { podDisruptionBudgets } from "#/api/policy/v1.ts";
import type { Client } from "#/client/client.ts";
import type { Dice } from "./dice.ts";
import {
  budgetOf,
  cronJobOf,
  daemonSetOf,
  deploymentOf,
  jobOf,
  quotaOf,
  statefulSetOf,
} from "./manifests.ts";
import { nameOf } from "./pods.ts";
import type { AvailabilityIsKept } from "./properties/availability.ts";
import type { EvictionsKeepBudgets } from "./properties/budgets.ts";
import type { Trace } from "./trace.ts";
import type { World } from "./world.ts";

export interface UserOptions {
  readonly client: Client;
  readonly world: World;
  readonly dice: Dice;
  readonly trace: Trace;
  readonly availability: AvailabilityIsKept;
  readonly budgets: EvictionsKeepBudgets;
}

type Named = { readonly metadata: ObjectMeta; readonly kind?: string };

/** Limit of the workloads at one time: the nodes must have room for them. */
const maxWorkloads = 12;
const maxNamespaces = 3;

/** Resources that the user changes, with a function that creates one. */
const kinds = {
  deployments: { resource: deployments, make: deploymentOf },
  statefulsets: { resource: statefulSets, make: statefulSetOf },
  daemonsets: { resource: daemonSets, make: daemonSetOf },
  jobs: { resource: jobs, make: jobOf },
  cronjobs: { resource: cronJobs, make: cronJobOf },
} as const;

type Kind = keyof typeof kinds;

const policies = ["Background", "Background", "Foreground", "Orphan"] as const;

/** A simulated user that creates, changes and deletes workloads at random. */
export class User {
  readonly #options: UserOptions;
  #count = 0;

  constructor(options: UserOptions) {
    this.#options = options;
  }

  /** Performs one action. Refused requests are not retried. */
  async act(): Promise<void> {
    const { dice } = this.#options;
    const action = dice.weighted<() => Promise<void>>([
      [6, () => this.#create()],
      [6, () => this.#rollOut()],
      [4, () => this.#scale()],
      [2, () => this.#pause()],
      [2, () => this.#deleteWorkload()],
      [2, () => this.#deletePod()],
      [3, () => this.#evict()],
      [2, () => this.#budget()],
      [1, () => this.#suspend()],
      [2, () => this.#own()],
      [1, () => this.#deleteNamespace()],
      [1, () => this.#cordon()],
    ]);
    await action();
  }

  /** Ends endless work: CronJobs, pauses, suspended Jobs, cordons. */
  async settle(): Promise<void> {
    const { world } = this.#options;
    for (const job of world.list<Named>("cronjobs"))
      await this.#patch(cronJobs, job, { suspend: true });
    for (const job of world.list<Named>("jobs")) await this.#patch(jobs, job, { suspend: false });
    for (const one of world.list<Named>("deployments")) {
      await this.#patch(deployments, one, { paused: false });
    }
    for (const node of world.list<Named>("nodes")) {
      await this.#patch(nodes, node, { unschedulable: false });
    }
  }

  /** Deletes all namespaces, with everything in them. */
  async leave(): Promise<void> {
    const { world, client } = this.#options;
    for (const { metadata } of world.list<Named>("namespaces")) {
      const { name = "" } = metadata;
      if (name.startsWith("ns")) await client.delete(namespaces, { name });
    }
  }

  async #create(): Promise<void> {
    const { dice, client, world } = this.#options;
    const namespace = await this.#namespace();
    const count = (Object.keys(kinds) as Kind[]).reduce(
      (sum, kind) => sum + world.list(kind).length,
      0,
    );
    if (namespace === undefined || count >= maxWorkloads) return;
    const kind = dice.weighted<Kind>([
      [5, "deployments"],
      [3, "statefulsets"],
      [1, "daemonsets"],
      [3, "jobs"],
      [1, "cronjobs"],
    ]);
    const { resource, make } = kinds[kind];
    const object = make(dice, { namespace, name: `${kind.slice(0, 2)}${++this.#count}` });
    this.#say(`creates ${kind} ${nameOf(object)}`);
    await tolerate(client.create(resource as unknown as Resource<typeof object>, object));
  }

  /** An existing namespace; sometimes a new one. */
  async #namespace(): Promise<string | undefined> {
    const { dice, client } = this.#options;
    const living = this.#living<Named>("namespaces").filter(({ metadata }) =>
      metadata.name?.startsWith("ns"),
    );
    if (living.length < maxNamespaces && (living.length === 0 || dice.chance(0.3))) {
      const name = `ns${++this.#count}`;
      this.#say(`creates namespace ${name}`);
      await tolerate(client.create(namespaces, { metadata: { name }, spec: {} }));
      if (dice.chance(0.5)) await tolerate(client.create(resourceQuotas, quotaOf(dice, name)));
      return name;
    }
    return dice.find(living)?.metadata.name;
  }

  async #rollOut(): Promise<void> {
    const { dice } = this.#options;
    const kind = dice.pick(["deployments", "deployments", "statefulsets", "daemonsets"] as const);
    const one = dice.find(this.#living<Deployment>(kind));
    if (!one) return;
    // A small range, so that earlier templates occur again: a rollback.
    const image = `main:${dice.between(1, 4)}`;
    this.#say(`rolls ${kind} ${nameOf(one)} out to ${image}`);
    const containers = one.spec?.template.spec?.containers.map((part) => ({ ...part, image }));
    await this.#patch(kinds[kind].resource, one, { template: { spec: { containers } } });
  }

  async #scale(): Promise<void> {
    const { dice } = this.#options;
    const kind = dice.pick(["deployments", "statefulsets"] as const);
    const one = dice.find(this.#living<Named>(kind));
    if (!one) return;
    const replicas = dice.between(0, 6);
    this.#say(`scales ${kind} ${nameOf(one)} to ${replicas}`);
    await this.#patch(kinds[kind].resource, one, { replicas });
  }

  async #pause(): Promise<void> {
    const one = this.#options.dice.find(this.#living<Deployment>("deployments"));
    if (!one) return;
    const paused = !one.spec?.paused;
    this.#say(`${paused ? "pauses" : "resumes"} ${nameOf(one)}`);
    await this.#patch(deployments, one, { paused });
  }

  async #suspend(): Promise<void> {
    const { dice } = this.#options;
    const one = dice.find(this.#living<Named & { spec?: { suspend?: boolean } }>("jobs"));
    if (!one) return;
    this.#say(`${one.spec?.suspend ? "resumes" : "suspends"} ${nameOf(one)}`);
    await this.#patch(jobs, one, { suspend: !one.spec?.suspend });
  }

  async #deleteWorkload(): Promise<void> {
    const { dice, client, world } = this.#options;
    const kind = dice.pick([
      "deployments",
      "statefulsets",
      "daemonsets",
      "jobs",
      "cronjobs",
    ] as const);
    const one = dice.find(this.#living<Named>(kind));
    if (!one) return;
    const propagationPolicy = dice.pick(policies);
    this.#say(`deletes ${kind} ${nameOf(one)} (${propagationPolicy})`);
    const { namespace, name = "" } = one.metadata;
    await tolerate(
      client.delete(kinds[kind].resource as Resource, { namespace, name }, { propagationPolicy }),
    );
    // Orphans that no controller adopts would stay for ever; the user removes the remains of Jobs.
    if (propagationPolicy !== "Orphan") return;
    for (const pod of world.list<Pod>("pods")) {
      if (pod.metadata.labels?.["app"] === name) this.#options.availability.disturb(pod, world);
    }
  }

  async #deletePod(): Promise<void> {
    const { dice, client, world, availability } = this.#options;
    const pod = dice.find(this.#living<Pod>("pods"));
    if (!pod) return;
    this.#say(`deletes Pod ${nameOf(pod)}`);
    availability.disturb(pod, world);
    const { namespace, name = "" } = pod.metadata;
    await tolerate(client.delete(pods, { namespace, name }));
  }

  /** Evicts the Pods of an application all at the same time. */
  async #evict(): Promise<void> {
    const { dice, client, world, availability, budgets } = this.#options;
    const app = dice.find(this.#living<Pod>("pods"))?.metadata.labels?.["app"];
    const all = this.#living<Pod>("pods").filter(
      ({ metadata }) => metadata.labels?.["app"] === app,
    );
    this.#say(`evicts ${all.length} Pods of ${app}`);
    await Promise.all(
      all.map(async (pod) => {
        const { namespace, name = "", uid = "" } = pod.metadata;
        availability.disturb(pod, world);
        using _evicting = budgets.evicting(uid);
        const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name } };
        await tolerate(client.createSubresource(pods, { namespace, name }, "eviction", body));
      }),
    );
  }

  async #budget(): Promise<void> {
    const { dice, client, world } = this.#options;
    const kind = dice.pick(["deployments", "statefulsets"] as const);
    const one = dice.find(this.#living<Named>(kind));
    if (!one || world.find("poddisruptionbudgets", nameOf(one))) return;
    const { namespace = "", name = "" } = one.metadata;
    this.#say(`gives ${nameOf(one)} a budget`);
    await tolerate(client.create(podDisruptionBudgets, budgetOf(dice, { namespace, name })));
  }

  /** A ConfigMap with one or two owners. */
  async #own(): Promise<void> {
    const { dice, client } = this.#options;
    const owner = dice.find([
      ...this.#living<Named>("deployments"),
      ...this.#living<Named>("configmaps"),
    ]);
    if (!owner) return;
    const { namespace } = owner.metadata;
    const other = dice.find(
      this.#living<Named>("configmaps").filter((one) => one.metadata.namespace === namespace),
    );
    const ownerReferences = [...new Set([owner, ...(other ? [other] : [])])].map((one) => ({
      apiVersion: one.kind === "Deployment" ? "apps/v1" : "v1",
      kind: one.kind ?? "ConfigMap",
      name: one.metadata.name ?? "",
      uid: one.metadata.uid ?? "",
      blockOwnerDeletion: dice.chance(0.5),
    }));
    const name = `cm${++this.#count}`;
    this.#say(
      `creates ConfigMap ${namespace}/${name} of ${ownerReferences.map((one) => one.name).join(" and ")}`,
    );
    await tolerate(
      client.create(configMaps, {
        metadata: { namespace: namespace ?? "", name, ownerReferences },
      }),
    );
    if (!other || dice.chance(0.5)) return;
    this.#say(`deletes ConfigMap ${nameOf(other)}`);
    const ref = { namespace, name: other.metadata.name ?? "" };
    const propagationPolicy = dice.pick(policies);
    await tolerate(client.delete(configMaps, ref, { propagationPolicy }));
  }

  async #deleteNamespace(): Promise<void> {
    const { dice, client } = this.#options;
    const living = this.#living<Named>("namespaces").filter(({ metadata }) =>
      metadata.name?.startsWith("ns"),
    );
    const name = dice.find(living)?.metadata.name;
    if (name === undefined) return;
    this.#say(`deletes namespace ${name}`);
    await tolerate(client.delete(namespaces, { name }));
  }

  async #cordon(): Promise<void> {
    const { dice } = this.#options;
    const node = dice.find(this.#living<Named & { spec?: { unschedulable?: boolean } }>("nodes"));
    if (!node) return;
    this.#say(`${node.spec?.unschedulable ? "uncordons" : "cordons"} ${nameOf(node)}`);
    await this.#patch(nodes, node, { unschedulable: !node.spec?.unschedulable });
  }

  async #patch(resource: Resource, { metadata }: Named, spec: unknown): Promise<void> {
    const { namespace, name = "" } = metadata;
    const patch = { spec };
    await tolerate(
      this.#options.client.patch(resource, { namespace, name }, patch, { type: "strategic" }),
    );
  }

  #living<T extends Named>(resource: string): T[] {
    return this.#options.world
      .list<T>(resource)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  #say(text: string): void {
    this.#options.trace.add("user", text);
  }
}

/** The server may refuse, and the object may be deleted meanwhile: the user continues. */
async function tolerate(write: Promise<unknown>): Promise<void> {
  await write.catch(() => undefined);
}
