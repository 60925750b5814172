import { readFileSync } from "node:fs";
import type { Client } from "#/client/client.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import { recorder } from "#/client/events/events.ts";
import { Informers } from "#/client/informers/informers.ts";
import { asError } from "#/std/base/as-error.ts";
import { CniResults, linkNamesOf } from "#/std/cni/cni-results.ts";
import { resultChangesOf } from "#/std/cni/result-changes.ts";
import type { Logger } from "#/std/log/log.ts";
import type { FollowRemovals } from "#/std/netfilter/removals.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";
import { DenialReporter } from "./denial-reporter.ts";
import { PolicyTable } from "./kernel/policy-table.ts";
import { preparePolicyKernel } from "./kernel/prepare-kernel.ts";
import type { PolicyMetrics } from "./metrics.ts";
import type { Policy } from "./model/policy.ts";
import { ClusterMembers } from "./node/cluster-members.ts";
import { localPods, sandboxesOf } from "./node/local-pods.ts";
import { MemberIndex } from "./plan/member-index.ts";
import { frameTableName, tableName } from "./plan/names.ts";
import { type LocalPod, TablePlanner } from "./plan/plan-table.ts";
import { PolicyReporter } from "./policy-reporter.ts";

/** Changes within this time (ms) are written together: a flood of changes costs few writes. */
const settleMs = 5;

/** Interval (ms) of a check of the whole table. */
const checkMs = 300_000;

/** Delay (ms) of the check after a reported removal: another program removes its rules one by one. */
const damageSettleMs = 20;

/** Delay (ms) of the write that deletes empty chains. */
const staleMs = 1500;

/** Interval (ms) of looks at denied connections, and at policies without effect. */
const reportMs = 15_000;

/** Number of failures, one after the other, that is reported by an event: one or two are made good soon. */
const reportedFailures = 4;

const retryMs = exponentialBackoff({ baseMs: 200, maxMs: 10_000 });

export interface EnforcementOptions {
  readonly client: Client;
  readonly nodeName: string;
  /** The networks of this node's Pods; empty for those of its Node. */
  readonly podCidrs: readonly string[];
  readonly run: RunProgram;
  /** Writes a value below /proc/sys. */
  setKernelValue(path: string, value: string): Promise<unknown>;
  readonly followRemovals: FollowRemovals;
  /** The folders of results of CNI plugins; default those of libcni. */
  readonly cniResults?: readonly string[];
  readLinks?(): Promise<string>;
  readonly metrics: PolicyMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Keeps the rules of all policies in force on this node, while there is any. */
export class Enforcement {
  readonly #options: EnforcementOptions;
  readonly #index = new MemberIndex();
  readonly #planner = new TablePlanner(this.#index);
  readonly #table: PolicyTable;
  readonly #frames: PolicyTable;
  #hasFrames = true;
  readonly #results: CniResults;
  #policies: readonly Policy[] = [];
  #policiesChanged = true;
  #members: ClusterMembers | undefined;
  #wake = Promise.withResolvers<void>();
  #isSuspect = false;
  /** When the oldest change came that is not in force yet. */
  #dirtySince: number | undefined;
  #isInForce = false;

  constructor(options: EnforcementOptions) {
    this.#options = options;
    this.#table = new PolicyTable(tableName, options);
    this.#frames = new PolicyTable(frameTableName, options);
    const { readLinks = async () => readFileSync("/proc/net/dev", "utf8") } = options;
    const linkNames = async () => linkNamesOf(await readLinks());
    this.#results = new CniResults(linkNames, options.cniResults);
  }

  /** Whether all policies have been written at least once. */
  get isInForce(): boolean {
    return this.#isInForce;
  }

  setPolicies(policies: readonly Policy[]): void {
    this.#policies = policies;
    this.#policiesChanged = true;
    this.#changed();
  }

  /** Runs until the signal aborts, and leaves the rules in the kernel then. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, nodeName, clock, followRemovals } = this.#options;
    const informers = new Informers(client, signal, { clock });
    const changed = () => this.#changed();
    this.#members = new ClusterMembers({ informers, nodeName, index: this.#index, changed });
    using _removals = followRemovals((removal) => {
      if (removal !== "" && !isConcerned(removal)) return;
      this.#isSuspect = true;
      this.#wake.resolve();
    });
    using _results = resultChangesOf(this.#options.cniResults)(changed);
    signal.addEventListener("abort", changed, { once: true });
    await preparePolicyKernel(this.#options);
    await informers.synced().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    const source = { component: "network-policy", instance: nodeName, clock, signal };
    const events = recorder(client, source);
    using _reports = this.#reportEvery(this.#members, events);
    let failures = 0;
    for (let waitMs = 0; ; ) {
      await this.#woken(waitMs);
      if (signal.aborted) return;
      await clock.sleep(this.#isSuspect ? damageSettleMs : settleMs, signal).catch(() => undefined);
      try {
        await this.#step();
        failures = 0;
        waitMs = this.#table.hasStaleChains ? staleMs : checkMs;
      } catch (error) {
        waitMs = 0;
        this.#failed(error, ++failures, events);
        await clock.sleep(retryMs(failures), signal).catch(() => undefined);
      }
    }
  }

  /** A lasting failure is reported less and less often. */
  #failed(error: unknown, failures: number, events: EventRecorder): void {
    const { nodeName, metrics, log } = this.#options;
    metrics.writeFailures.inc();
    // What the kernel has is unknown now.
    this.#table.distrust();
    this.#frames.distrust();
    if (!Number.isInteger(Math.log2(failures))) return;
    log.error(error, "failed to write the rules of network policies", { failures });
    if (failures < reportedFailures) return;
    const node = { apiVersion: "v1", kind: "Node", name: nodeName, uid: nodeName };
    const message = `The last changes are not in force on this node: ${asError(error).message}`;
    events.event(node, "Warning", "NetworkPoliciesNotEnforced", message, { action: "Enforce" });
  }

  #reportEvery(members: ClusterMembers, events: EventRecorder): Disposable {
    const { clock, log } = this.#options;
    const shared = { ...this.#options, index: this.#index, recorder: events };
    const denials = new DenialReporter({
      ...shared,
      policiesOf: (key) => this.#planner.policiesOf(key),
      podReference: (key) => members.podReference(key),
    });
    const policies = new PolicyReporter(shared);
    return clock.every(reportMs, () => {
      if (!this.#isInForce) return;
      if (members.isReporter) policies.look(this.#policies, clock.monotonicMs());
      denials
        .look()
        .catch((error: unknown) => log.error(error, "failed to read denied connections"));
    });
  }

  #changed(): void {
    this.#dirtySince ??= this.#options.clock.monotonicMs();
    this.#wake.resolve();
  }

  /** What changes from now on wakes again. */
  async #woken(ms: number): Promise<void> {
    const timedOut = Promise.withResolvers<void>();
    using _timer = this.#options.clock.setTimer(ms, () => {
      this.#isSuspect ||= ms === checkMs;
      timedOut.resolve();
    });
    await Promise.race([this.#wake.promise, timedOut.promise]);
    this.#wake = Promise.withResolvers<void>();
  }

  async #step(): Promise<void> {
    const { metrics, clock } = this.#options;
    if (this.#isSuspect) {
      this.#isSuspect = false;
      for (const table of [this.#table, ...(this.#hasFrames ? [this.#frames] : [])]) {
        if (!this.#isInForce || (await table.isIntact())) continue;
        metrics.repairs.inc();
        table.distrust();
      }
    }
    const since = this.#dirtySince;
    this.#dirtySince = undefined;
    const isWritten = await this.#write();
    if (isWritten && since !== undefined) {
      metrics.writeDuration.observe((clock.monotonicMs() - since) / 1000);
    }
    this.#isInForce = true;
  }

  async #write(): Promise<boolean> {
    const members = this.#members;
    if (!members) return false;
    const given = this.#options.podCidrs;
    const podCidrs = given.length > 0 ? given : members.podCidrs;
    const sandboxes = sandboxesOf(await this.#results.list(), podCidrs);
    members.setSandboxes(sandboxes);
    if (this.#policiesChanged) {
      this.#policiesChanged = false;
      this.#planner.setPolicies(this.#policies);
    }
    const local = localPods(members.reportedPods(), sandboxes);
    this.#options.metrics.pods.set(local.length);
    const plan = this.#planner.plan({ podCidrs, localPods: local });
    const [frames, packets] = await Promise.allSettled([
      this.#writeFrames(local),
      this.#table.write(plan),
    ]);
    if (frames.status === "rejected") throw frames.reason;
    if (packets.status === "rejected") throw packets.reason;
    return packets.value;
  }

  /** Not every kernel has nft's family of bridges, and not every network has a bridge. */
  async #writeFrames(local: readonly LocalPod[]): Promise<void> {
    if (!this.#hasFrames) return;
    try {
      await this.#frames.write(this.#planner.planFrames(local));
    } catch (error) {
      if (this.#isInForce) throw error;
      this.#hasFrames = false;
      this.#options.log.info("cannot keep frames for groups from Pods", { error });
    }
  }
}

/** Our own writes remove elements and rules of other chains only. */
function isConcerned(removal: string): boolean {
  const [verb, what, ...rest] = removal.split(" ");
  const text = rest.join(" ");
  if (verb !== "delete") return false;
  if (what === "table") return [tableName, frameTableName].some((name) => text.startsWith(name));
  return (
    what === "rule" &&
    /^(inet|bridge) k8ts-policy (forward|input|to-pod|untracked|deny-)/.test(text)
  );
}
