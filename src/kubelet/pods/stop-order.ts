/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go (killContainer), kuberuntime_termination_order.go. */
import type { Pod } from "#/api/core/v1.ts";
import type { KillReason } from "../plan/container-kill.ts";
import { type AnyContainer, isSidecar } from "../state/pod-containers.ts";

/** Least time that a container has to end by itself (seconds), however short its grace period is. */
export const minimumGraceSeconds = 2;

/** The time that a container has to end by itself. */
export function gracePeriod(pod: Pod, container: AnyContainer, reason: KillReason): number {
  const { deletionGracePeriodSeconds } = pod.metadata;
  if (deletionGracePeriodSeconds !== undefined) return deletionGracePeriodSeconds;
  const { terminationGracePeriodSeconds } = pod.spec;
  if (terminationGracePeriodSeconds === undefined) return minimumGraceSeconds;
  const probe =
    reason === "StartupProbe"
      ? container.startupProbe
      : reason === "LivenessProbe"
        ? container.livenessProbe
        : undefined;
  return probe?.terminationGracePeriodSeconds ?? terminationGracePeriodSeconds;
}

/** Sidecars end after the ordinary containers, in reverse order of their start. */
export class StopOrder {
  readonly #ends = new Map<string, PromiseWithResolvers<void>>();
  readonly #after = new Map<string, readonly string[]>();

  constructor(pod: Pod, running: readonly string[]) {
    const names = new Set(running);
    for (const name of names) this.#ends.set(name, Promise.withResolvers());
    const main = pod.spec.containers.map(({ name }) => name);
    let later: string[] = [];
    for (const { name } of (pod.spec.initContainers ?? []).filter(isSidecar).reverse()) {
      this.#after.set(name, [...main, ...later]);
      later = [name];
    }
  }

  /** Resolves when all containers that stop before this one have ended. */
  async turn(name: string): Promise<void> {
    const before = this.#after.get(name) ?? [];
    await Promise.all(before.map((other) => this.#ends.get(other)?.promise));
  }

  ended(name: string): void {
    this.#ends.get(name)?.resolve();
  }
}
