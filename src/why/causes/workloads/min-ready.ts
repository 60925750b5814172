import {
  type DaemonSet,
  type Deployment,
  daemonSets,
  deployments,
  type StatefulSet,
  statefulSets,
} from "#/api/apps/v1.ts";
import { cause } from "../../base/cause.ts";

/** Pods that are ready, and do not count yet. */
export const minReadySeconds = cause<Deployment | StatefulSet | DaemonSet>({
  name: "min-ready-seconds",
  layer: "readiness",
  of: [deployments, statefulSets, daemonSets],
  find({ spec, status }) {
    const seconds = spec?.minReadySeconds ?? 0;
    const [ready, available, wanted] = countsOf(spec, status);
    if (seconds === 0 || ready < wanted || available >= wanted) return undefined;
    return {
      sentence: `its Pods are ready, and count as available only after minReadySeconds of ${seconds} s: ${available} of ${wanted} do`,
      fix: ["# wait, or make spec.minReadySeconds smaller"],
    };
  },
});

type Spec = Deployment["spec"] | StatefulSet["spec"] | DaemonSet["spec"];
type Status = Deployment["status"] | StatefulSet["status"] | DaemonSet["status"];

/** Pods that are ready, that are available, and that are wanted. */
function countsOf(spec: Spec, status: Status): readonly [number, number, number] {
  if (!status) return [0, 0, 1];
  if ("desiredNumberScheduled" in status) {
    const { numberReady, numberAvailable = 0, desiredNumberScheduled } = status;
    return [numberReady, numberAvailable, desiredNumberScheduled];
  }
  const wanted = spec && "replicas" in spec ? (spec.replicas ?? 1) : 1;
  const { readyReplicas = 0, availableReplicas = 0 } = status as Deployment["status"] & object;
  return [readyReplicas, availableReplicas, wanted];
}
