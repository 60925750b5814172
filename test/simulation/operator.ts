import type { Pod } from "#/api/core/v1.ts";
import { nodes as nodeResource } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import type { Cluster, Component } from "./components.ts";
import type { Dice } from "./dice.ts";
import type { FaultyStorage } from "./faulty-storage.ts";
import type { SimulatedNode } from "./node.ts";
import { isReady } from "./pods.ts";
import type { AvailabilityIsKept } from "./properties/availability.ts";
import type { Trace } from "./trace.ts";
import { staleMs, type World } from "./world.ts";

export interface OperatorOptions {
  readonly client: Client;
  readonly world: World;
  readonly dice: Dice;
  readonly trace: Trace;
  readonly availability: AvailabilityIsKept;
  readonly cluster: Cluster;
  readonly nodes: readonly SimulatedNode[];
  readonly components: readonly Component[];
  readonly storage: FaultyStorage;
  readonly settle: () => Promise<void>;
  /** Whether programs are killed and started again. */
  readonly restarts: boolean;
}

/** Faults of machines and programs. */
export class Operator {
  readonly #options: OperatorOptions;
  readonly #upSinceMs = new Map<string, number>();

  constructor(options: OperatorOptions) {
    this.#options = options;
  }

  start(): void {
    for (const node of this.#options.nodes) node.start();
    for (const component of this.#options.components) component.start();
  }

  async stop(): Promise<void> {
    for (const node of this.#options.nodes) node.stop();
    for (const component of this.#options.components) component.kill();
    await Promise.all(this.#options.components.map(({ ended }) => ended));
  }

  /** A program that ended by itself. */
  get failure(): string | undefined {
    const failed = this.#options.components.find(({ failure }) => failure !== undefined);
    if (!failed) return undefined;
    const { failure } = failed;
    return `${failed.name} ended: ${failure instanceof Error ? failure.stack : failure}`;
  }

  /** Whether a node has been up for longer than twice the staleness limit. */
  isSteady(name: string): boolean {
    const { nodes, world } = this.#options;
    const isUp = nodes.some((node) => node.name === name && node.isUp);
    return isUp && world.clock.monotonicMs() - (this.#upSinceMs.get(name) ?? 0) > 2 * staleMs;
  }

  async act(): Promise<void> {
    const action = this.#options.dice.weighted<() => Promise<void> | void>([
      [this.#options.restarts ? 4 : 0, () => this.#restart()],
      [4, () => this.#breakWatches()],
      [3, () => this.#crash()],
      [3, () => this.#switchNode()],
      [1, () => this.#removeNode()],
      [2, () => this.#compact()],
    ]);
    await action();
  }

  /** Starts all nodes again. */
  async heal(): Promise<void> {
    this.#options.availability.disturbAll();
    for (const node of this.#options.nodes) if (!node.isUp) this.#switchOn(node);
  }

  async #restart(): Promise<void> {
    const { dice, components, trace, settle } = this.#options;
    const one = dice.find(components);
    if (!one) return;
    trace.add("operator", `restarts ${one.name}`);
    one.kill();
    // Pending requests of the server end before the successor is elected.
    await settle();
    one.start();
  }

  #breakWatches(): void {
    const { dice, cluster, trace } = this.#options;
    const broken = [...cluster.openWatches].filter(() => dice.chance(0.3));
    trace.add("operator", `breaks ${broken.length} watches`);
    for (const watch of broken) watch.abort();
  }

  #crash(): void {
    const { dice, world, nodes } = this.#options;
    const pod = dice.find(world.list<Pod>("pods").filter(isReady));
    const node = nodes.find(({ name }) => name === pod?.spec?.nodeName);
    if (pod) node?.crash(pod.metadata.uid ?? "");
  }

  #switchNode(): void {
    const { dice, nodes, trace, availability, world } = this.#options;
    const node = dice.find(nodes);
    if (!node) return;
    if (!node.isUp) {
      this.#switchOn(node);
      return;
    }
    trace.add("operator", `switches ${node.name} off`);
    availability.disturbNode(node.name, world);
    node.stop();
  }

  #switchOn(node: SimulatedNode): void {
    const { trace, world } = this.#options;
    trace.add("operator", `switches ${node.name} on`);
    this.#upSinceMs.set(node.name, world.clock.monotonicMs());
    node.start();
  }

  /** Removes a machine, with its Node. */
  #removeNode(): void {
    const { dice, nodes, trace, availability, client, world } = this.#options;
    const node = dice.find(nodes);
    if (!node) return;
    trace.add("operator", `removes ${node.name}`);
    availability.disturbNode(node.name, world);
    node.stop();
    void client.delete(nodeResource, { name: node.name }).catch(() => undefined);
  }

  async #compact(): Promise<void> {
    const { storage, trace } = this.#options;
    const revision = await storage.revision();
    trace.add("operator", "compacts the store");
    await storage.compact(Math.max(1, revision - 5));
  }
}
