/** Upstream: pkg/kubelet/kubelet_node_status.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { isAlreadyExists, isConflict } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { NodeRecord } from "../state/node-record.ts";
import type { VolumesInUse } from "../state/volumes-in-use.ts";
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
  /** Gets the volumes that the Node lists as used. */
  readonly inUse: Pick<VolumesInUse, "setReported">;
}

const log = logger("node-agent");
const registerBackoff = exponentialBackoff({ baseMs: 100, maxMs: 7_000 });
/** How often the state is read until the node is ready for the first time (ms). */
const startingMs = 200;
/** Limit of this first phase (ms), as upstream's: a node may not get ready, for want of a network for example. */
const startingLimitMs = 120_000;
const maxTries = 5;

/** Registers the node and keeps its status up to date. */
export class NodeAgent {
  readonly #options: NodeAgentOptions;
  #lastWrittenMs = 0;
  #wake: (() => void) | undefined;
  /** The state has changed since it was last read. */
  #isStale = false;
  /** The last state that was read; undefined until the first. */
  #unschedulable: boolean | undefined;
  #rebootRecorded = false;

  constructor(options: NodeAgentOptions) {
    this.#options = options;
  }

  /** Reads the node's state at once. */
  refresh(): void {
    this.#isStale = true;
    this.#wake?.();
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { events, register, clock, updateMs } = this.#options;
    events.record("Normal", "Starting", "Starting kubelet.");
    if (register) await this.#register(signal);
    const startMs = clock.monotonicMs();
    let isStarting = true;
    while (!signal.aborted) {
      let waitMs = updateMs;
      try {
        this.#isStale = false;
        const ready = await this.#update();
        isStarting &&= !ready && clock.monotonicMs() - startMs < startingLimitMs;
        if (isStarting) waitMs = Math.min(updateMs, startingMs);
      } catch (error) {
        log.error(error, "Unable to update node status");
      }
      await this.#pause(waitMs, signal);
    }
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isStale) return;
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
    const { client, clock, reportMs, node, state, inUse } = this.#options;
    const { name } = node;
    for (let attempt = 1; ; attempt++) {
      const held = (attempt === 1 && node.find()) || (await client.get(nodes, { name }));
      const current = await state.current();
      this.#compare(held, current);
      const nowMs = clock.now();
      const { status, events } = nodeStatus(held.status, { ...current, nowMs });
      const ready = current.problems.length === 0;
      const due = nowMs - this.#lastWrittenMs >= reportMs;
      if (!due && !statusChanged(held.status, status)) {
        inUse.setReported(held.status?.volumesInUse ?? []);
        return ready;
      }
      try {
        const patch = statusPatch(held.status, status);
        const written = await client.patchStatus(nodes, { name }, patch, { type: "strategic" });
        node.setWritten(written);
        inUse.setReported(written.status?.volumesInUse ?? []);
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
