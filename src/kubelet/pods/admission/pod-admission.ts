import type { Pod } from "#/api/core/v1.ts";
import { admitUnderPressure } from "../../eviction/pressure-admission.ts";
import { admitDuringShutdown } from "../../node/node-shutdown.ts";
import type { Admission, NodeAccess, PodAdmitter } from "../../state/pod-services.ts";
import type { Pressure } from "../../state/pressure.ts";
import type { StoredValue } from "../../state/stored-value.ts";
import { admitAppArmor, isAppArmorEnabled } from "./apparmor-admission.ts";
import { admitToNode, resourceShortages } from "./node-admission.ts";
import { isCriticalPod, podsToPreempt } from "./preemption.ts";
import { admitSysctls } from "./sysctl-admission.ts";

interface PodAdmissionOptions {
  readonly node: Pick<NodeAccess, "node">;
  readonly allowedUnsafeSysctls: readonly string[];
  readonly shuttingDown: Pick<StoredValue<boolean>, "value">;
  readonly pressure: Pick<StoredValue<Pressure>, "value">;
  /** Undefined unless Pods can have exclusive processors. */
  readonly cpus: PodAdmitter | undefined;
}

/** Decides whether pods may start on this node: the first refusal counts. */
export class PodAdmission {
  readonly #options: PodAdmissionOptions;

  constructor(options: PodAdmissionOptions) {
    this.#options = options;
  }

  /** Whether a pod may start beside the current ones. */
  admit(pod: Pod, others: readonly Pod[]): Admission {
    const { node, allowedUnsafeSysctls, shuttingDown, pressure, cpus } = this.#options;
    const checks: readonly (() => Admission)[] = [
      () => admitToNode(pod, node.node(), others),
      () => admitSysctls(pod, allowedUnsafeSysctls),
      () => admitAppArmor(pod, isAppArmorEnabled()),
      () => admitDuringShutdown(shuttingDown.value),
      () => admitUnderPressure(pod, pressure.value),
      () => cpus?.admit(pod) ?? { admitted: true },
    ];
    for (const check of checks) {
      const admission = check();
      if (!admission.admitted) return admission;
    }
    return { admitted: true };
  }

  /** Pods to preempt for a critical one that only lacks resources; undefined if it stays refused. */
  makeRoom(pod: Pod, others: readonly Pod[]): readonly Pod[] | undefined {
    if (!isCriticalPod(pod)) return undefined;
    const shortages = resourceShortages(pod, this.#options.node.node(), others);
    const chosen = podsToPreempt(pod, shortages, others);
    const left = others.filter((other) => !chosen?.includes(other));
    return this.admit(pod, left).admitted ? chosen : undefined;
  }
}
