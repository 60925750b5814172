/** Upstream: pkg/kubelet/kubelet_node_status.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { isAlreadyExists, isConflict } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { NodeRecord } from "../state/node-record.ts";
import type { NodeEvents } from "./node-events.ts";
import {
  metadataPatch,
  type NodeStatusInput,
  nodeStatus,
  statusChanged,
  statusPatch,
} from "./node-status.ts";

/** The input of a status without the time. */
export type CurrentState = Omit<NodeStatusInput, "nowMs">;

interface NodeAgentOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly node: NodeRecord;
  readonly events: Pick<NodeEvents, "record">;
  /** `registerNode`. */
  readonly register: boolean;
  /** How often the status is computed, and how often it is written without a change. */
  readonly updateMs: number;
  readonly reportMs: number;
  /** Reads the machine and the runtime. */
  readonly state: { current(): Promise<CurrentState> };
}

const log = logger("node-agent");
const registerBackoff = exponentialBackoff({ baseMs: 100, maxMs: 7_000 });
/** How often the state is read until the node is ready for the first time (ms). */
const startingMs = 200;
const maxTries = 5;

/** Registers the node and keeps its status up to date. */
export class NodeAgent {
  readonly #options: NodeAgentOptions;
  #lastWrittenMs = 0;
  #wake: (() => void) | undefined;
  /** The last state that was read; undefined until the first. */
  #unschedulable: boolean | undefined;
  #rebootRecorded = false;

  constructor(options: NodeAgentOptions) {
    this.#options = options;
  }

  /** Reads the node's state at once. */
  refresh(): void {
    this.#wake?.();
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#options.events.record("Normal", "Starting", "Starting kubelet.");
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
    const { clock, node } = this.#options;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        node.setWritten(await this.#tryRegister());
        log.info("Successfully registered node", { node: node.name });
        return;
      } catch (error) {
        log.error(error, "Unable to register node with API server", { node: node.name });
        await clock.sleep(registerBackoff(failures), signal).catch(() => undefined);
      }
    }
  }

  async #tryRegister(): Promise<Node> {
    const { client, clock, state } = this.#options;
    const { name, initial } = this.#options.node;
    const current = await state.current();
    const { status, events } = nodeStatus(undefined, { ...current, nowMs: clock.now() });
    try {
      const node = await client.create(nodes, { ...initial, status });
      this.#lastWrittenMs = clock.now();
      this.#recordStatusEvents(events);
      return node;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const held = await client.get(nodes, { name });
    log.info("Node was previously registered", { node: name });
    const patch = metadataPatch(initial, held);
    if (patch === undefined) return held;
    return client.patch(nodes, { name }, patch, { type: "strategic" });
  }

  /** Writes the status if it has changed or is due; returns whether the node is ready. */
  async #update(): Promise<boolean> {
    const { client, clock, reportMs, node, state } = this.#options;
    const { name } = node;
    for (let attempt = 1; ; attempt++) {
      const held = (attempt === 1 && node.find()) || (await client.get(nodes, { name }));
      const current = await state.current();
      this.#compare(held, current);
      const nowMs = clock.now();
      const { status, events } = nodeStatus(held.status, { ...current, nowMs });
      const ready = current.problems.length === 0;
      const due = nowMs - this.#lastWrittenMs >= reportMs;
      if (!due && !statusChanged(held.status, status)) return ready;
      try {
        const patch = statusPatch(held.status, status);
        node.setWritten(await client.patchStatus(nodes, { name }, patch, { type: "strategic" }));
        this.#lastWrittenMs = nowMs;
        this.#recordStatusEvents(events);
        return ready;
      } catch (error) {
        if (attempt >= maxTries || !isConflict(error)) throw error;
      }
    }
  }

  /** Records an Event for a reboot, and for a change of `unschedulable`. */
  #compare({ spec, status }: Node, { facts }: CurrentState): void {
    const before = status?.nodeInfo?.bootID ?? "";
    if (before !== "" && before !== facts.bootID && !this.#rebootRecorded) {
      this.#rebootRecorded = true;
      const { node, events } = this.#options;
      const message = `Node ${node.name} has been rebooted, boot id: ${facts.bootID}`;
      events.record("Warning", "Rebooted", message);
    }
    const unschedulable = spec?.unschedulable ?? false;
    if (this.#unschedulable !== undefined && this.#unschedulable !== unschedulable) {
      this.#recordStatusEvents([unschedulable ? "NodeNotSchedulable" : "NodeSchedulable"]);
    }
    this.#unschedulable = unschedulable;
  }

  #recordStatusEvents(reasons: readonly string[]): void {
    const { node, events } = this.#options;
    for (const reason of reasons) {
      events.record("Normal", reason, `Node ${node.name} status is now: ${reason}`);
    }
  }
}
