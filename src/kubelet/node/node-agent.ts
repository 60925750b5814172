/** Upstream: pkg/kubelet/kubelet_node_status.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { Informer } from "#/client/informers/informer.ts";
import { isAlreadyExists, isConflict } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { NodeAccess } from "../state/pod-services.ts";
import {
  metadataPatch,
  type NodeStatusInput,
  nodeStatus,
  statusChanged,
  statusPatch,
} from "./node-status.ts";

/** The parts of a status that this file asks for anew each time. */
export type CurrentState = Omit<NodeStatusInput, "nowMs">;

export interface NodeAgentOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  /** Of this node alone. */
  readonly informer: Informer<Node>;
  /** The node as it is registered, without status. */
  readonly initial: Node;
  /** `registerNode`. */
  readonly register: boolean;
  /** How often the status is looked at, and how often it is written though nothing has changed. */
  readonly updateMs: number;
  readonly reportMs: number;
  readonly ips: readonly string[];
  /** Asks the machine and the runtime. */
  current(): Promise<CurrentState>;
}

const log = logger("node-agent");
const registerBackoff = exponentialBackoff({ baseMs: 100, maxMs: 7_000 });
/** Until the node is ready for the first time its state is looked at so often. */
const startingMs = 200;
const maxTries = 5;

/** Registers the node and keeps its status right. */
export class NodeAgent implements NodeAccess {
  readonly name: string;
  readonly #options: NodeAgentOptions;
  #registered: Node | undefined;
  #lastWrittenMs = 0;
  #wake: (() => void) | undefined;
  #state: CurrentState | undefined;
  /** As last told of; undefined until the node was seen for the first time. */
  #unschedulable: boolean | undefined;
  #rebootTold = false;

  constructor(options: NodeAgentOptions) {
    this.name = options.initial.metadata.name ?? "";
    this.#options = options;
  }

  node(): Node {
    const { informer, initial } = this.#options;
    return informer.store.get(undefined, this.name) ?? this.#registered ?? initial;
  }

  /** The node in the API server; undefined before it is registered. */
  find(): Node | undefined {
    return this.#options.informer.store.get(undefined, this.name) ?? this.#registered;
  }

  hostIPs(): readonly string[] {
    return this.#options.ips;
  }

  /** What the status was last made of. */
  get state(): CurrentState | undefined {
    return this.#state;
  }

  /** Looks at the node's state at once. */
  refresh(): void {
    this.#wake?.();
  }

  /** Works until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.event("Normal", "Starting", "Starting kubelet.");
    if (this.#options.register) await this.#register(signal);
    while (!signal.aborted) {
      let ready = false;
      try {
        ready = await this.#update();
      } catch (error) {
        log.error(error, "Unable to update node status");
      }
      await this.#pause(ready ? this.#options.updateMs : startingMs, signal);
    }
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const either = AbortSignal.any([signal, woken.signal]);
    await this.#options.clock.sleep(ms, either).catch(() => undefined);
    this.#wake = undefined;
  }

  async #register(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        this.#registered = await this.#tryRegister();
        log.info("Successfully registered node", { node: this.name });
        return;
      } catch (error) {
        log.error(error, "Unable to register node with API server", { node: this.name });
        await clock.sleep(registerBackoff(failures), signal).catch(() => undefined);
      }
    }
  }

  async #tryRegister(): Promise<Node> {
    const { client, initial, clock } = this.#options;
    this.#state = await this.#options.current();
    const { status, events } = nodeStatus(undefined, { ...this.#state, nowMs: clock.now() });
    try {
      const node = await client.create(nodes, { ...initial, status });
      this.#lastWrittenMs = clock.now();
      this.#tell(events);
      return node;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const held = await client.get(nodes, { name: this.name });
    log.info("Node was previously registered", { node: this.name });
    const patch = metadataPatch(initial, held);
    if (patch === undefined) return held;
    return client.patch(nodes, { name: this.name }, patch, { type: "strategic" });
  }

  /** Writes the status if it has changed or it is time to; whether the node is ready. */
  async #update(): Promise<boolean> {
    const { client, clock, reportMs } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const held = (attempt === 1 && this.find()) || (await client.get(nodes, { name: this.name }));
      this.#state = await this.#options.current();
      this.#compare(held, this.#state);
      const nowMs = clock.now();
      const { status, events } = nodeStatus(held.status, { ...this.#state, nowMs });
      const ready = this.#state.problems.length === 0;
      const due = nowMs - this.#lastWrittenMs >= reportMs;
      if (!due && !statusChanged(held.status, status)) return ready;
      try {
        this.#registered = await client.patchStatus(
          nodes,
          { name: this.name },
          statusPatch(held.status, status),
          { type: "strategic" },
        );
        this.#lastWrittenMs = nowMs;
        this.#tell(events);
        return ready;
      } catch (error) {
        if (attempt >= maxTries || !isConflict(error)) throw error;
      }
    }
  }

  /** Tells of what the node shows to have happened since. */
  #compare({ spec, status }: Node, { facts }: CurrentState): void {
    const before = status?.nodeInfo?.bootID ?? "";
    if (before !== "" && before !== facts.bootID && !this.#rebootTold) {
      this.#rebootTold = true;
      const message = `Node ${this.name} has been rebooted, boot id: ${facts.bootID}`;
      this.event("Warning", "Rebooted", message);
    }
    const unschedulable = spec?.unschedulable ?? false;
    if (this.#unschedulable !== undefined && this.#unschedulable !== unschedulable) {
      this.#tell([unschedulable ? "NodeNotSchedulable" : "NodeSchedulable"]);
    }
    this.#unschedulable = unschedulable;
  }

  #tell(reasons: readonly string[]): void {
    for (const reason of reasons) {
      this.event("Normal", reason, `Node ${this.name} status is now: ${reason}`);
    }
  }

  /** An event about the node. */
  event(type: "Normal" | "Warning", reason: string, message: string): void {
    const { name } = this;
    const reference = {
      kind: "Node",
      apiVersion: "v1",
      name,
      uid: this.find()?.metadata.uid ?? name,
    };
    this.#options.recorder.event(reference, type, reason, message);
  }
}
