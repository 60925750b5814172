import type { Pod } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { BindingsInProgress } from "./bindings-in-progress.ts";
import { podKey } from "./cache/pod-info.ts";
import type { Extender } from "./extender/extender.ts";
import type { EventSink } from "./framework/context.ts";
import type { Cycle } from "./framework/cycle.ts";
import { PluginError } from "./framework/filter-run.ts";
import { FitError, newDiagnosis, notePlugin } from "./framework/fit-error.ts";
import { patchPodStatus } from "./framework/pod-status.ts";
import type { Profile } from "./framework/profile.ts";
import { isRejection, type Rejection, rejectionText } from "./framework/rejection.ts";
import type { SchedulerMetrics } from "./metrics.ts";

const log = logger("scheduler");

interface BinderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly extenders: readonly Extender[];
  readonly bindings: BindingsInProgress;
  readonly metrics: SchedulerMetrics;
  readonly record: EventSink;
  /** Called once the pod can no longer be rejected. */
  readonly onCommitted: (uid: string) => void;
}

/** Rejections of Reserve and Permit are reported as rejections of the chosen node. */
function refusedOn(nodeName: string, rejection: Rejection): FitError {
  const diagnosis = newDiagnosis(1);
  diagnosis.rejections.set(nodeName, rejection);
  notePlugin(diagnosis, rejection);
  return new FitError(diagnosis);
}

/** Reserve; throws FitError if a plugin rejects, PluginError if one throws. */
export function reserve(profile: Profile, cycle: Cycle, nodeName: string): void {
  for (const plugin of profile.reserve) {
    const rejection = guard(`running Reserve plugin "${plugin.name}"`, () =>
      plugin.reserve?.(cycle, nodeName),
    );
    if (rejection) throw refusedOn(nodeName, rejection);
  }
}

export function unreserve(profile: Profile, cycle: Cycle, nodeName: string): void {
  for (const plugin of profile.reserve.toReversed()) plugin.unreserve?.(cycle, nodeName);
}

/** Permit: how long each plugin wants the pod to wait; throws FitError if one rejects. */
export function permit(
  profile: Profile,
  cycle: Cycle,
  nodeName: string,
): ReadonlyMap<string, number> {
  const waits = new Map<string, number>();
  for (const plugin of profile.permit) {
    const answer = guard(`running Permit plugin "${plugin.name}"`, () =>
      plugin.permit?.(cycle, nodeName),
    );
    if (answer === undefined) continue;
    if (isRejection(answer)) throw refusedOn(nodeName, answer);
    waits.set(plugin.name, answer.waitMs);
  }
  return waits;
}

function guard<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new PluginError(what, error);
  }
}

/**
 * The steps between the choice of a pod's node and its binding: WaitOnPermit, PreBind, Bind, PostBind.
 *
 * Upstream: pkg/scheduler/schedule_one.go.
 */
export class Binder {
  readonly #options: BinderOptions;

  constructor(options: BinderOptions) {
    this.#options = options;
  }

  /** Binds a pod; throws FitError if a plugin rejects it, or an internal error. */
  async bind(
    profile: Profile,
    cycle: Cycle,
    nodeName: string,
    permission: Promise<Rejection | undefined> | undefined,
  ): Promise<void> {
    const { bindings, onCommitted } = this.#options;
    const { pod, uid } = cycle.pod;
    const preparing = profile.preBind.filter((plugin) => {
      return plugin.needsPreBind?.(cycle, nodeName) ?? true;
    });
    if (preparing.length > 0 || permission) await this.#nominate(pod, nodeName);
    if (permission) await this.#waitFor(permission, nodeName);
    onCommitted(uid);
    try {
      if (preparing.length > 0) await this.#prepare(profile, cycle, nodeName, preparing);
      bindings.startBinding(uid);
      await this.#bindPod(profile, cycle, nodeName);
    } finally {
      bindings.end(uid);
    }
    this.#options.record({
      regarding: pod,
      type: "Normal",
      reason: "Scheduled",
      action: "Binding",
      note: `Successfully assigned ${podKey(pod)} to ${nodeName}`,
    });
    for (const plugin of profile.postBind) plugin.postBind?.(cycle, nodeName);
  }

  /** Writes the future node into the status for others, such as the cluster autoscaler, since binding may take a while. */
  async #nominate(pod: Pod, nodeName: string): Promise<void> {
    try {
      await patchPodStatus(this.#options, pod, { nominatedNodeName: nodeName });
    } catch (error) {
      log.error(error, "failed to nominate the node of a pod", {
        pod: podKey(pod),
        node: nodeName,
      });
    }
  }

  async #waitFor(permission: Promise<Rejection | undefined>, nodeName: string): Promise<void> {
    const { clock, metrics } = this.#options;
    const startMs = clock.monotonicMs();
    const rejection = await permission;
    metrics.permitWaited(rejection ? "Unschedulable" : "Success", startMs);
    if (rejection) throw refusedOn(nodeName, rejection);
  }

  async #prepare(
    profile: Profile,
    cycle: Cycle,
    nodeName: string,
    plugins: readonly Profile["preBind"][number][],
  ): Promise<void> {
    const { bindings, metrics } = this.#options;
    using timer = metrics.time("PreBind", profile.name);
    const signal = bindings.prepare(cycle.pod.uid);
    for (const plugin of plugins) {
      try {
        const rejection = await plugin.preBind?.(cycle, nodeName, signal);
        if (rejection) throw new Error(rejectionText(rejection));
        signal.throwIfAborted();
      } catch (error) {
        throw new PluginError(`running PreBind plugin "${plugin.name}"`, error);
      }
    }
    timer.end(undefined);
  }

  async #bindPod(profile: Profile, cycle: Cycle, nodeName: string): Promise<void> {
    using timer = this.#options.metrics.time("Bind", profile.name);
    if (!(await this.#bindByExtender(cycle, nodeName))) {
      await this.#bindByPlugin(profile, cycle, nodeName);
    }
    timer.end(undefined);
  }

  async #bindByExtender({ pod: { pod } }: Cycle, nodeName: string): Promise<boolean> {
    for (const extender of this.#options.extenders) {
      if (!extender.isBinder || !extender.isInterested(pod)) continue;
      try {
        await extender.bind(pod, nodeName);
        return true;
      } catch (error) {
        if (!extender.isIgnorable) throw error;
        log.info("skipping extender as it failed to bind and is ignorable", {
          extender: extender.url,
        });
      }
    }
    return false;
  }

  async #bindByPlugin(profile: Profile, cycle: Cycle, nodeName: string): Promise<void> {
    for (const plugin of profile.bind) {
      try {
        if (await plugin.bind?.(cycle, nodeName)) return;
      } catch (error) {
        throw new PluginError(`running Bind plugin "${plugin.name}"`, error);
      }
    }
    throw new Error("no plugin binds the pod");
  }
}
