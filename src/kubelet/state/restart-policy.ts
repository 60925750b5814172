/** Upstream: pkg/api/v1/pod/util.go, pkg/kubelet/container/helpers.go. */
import type { ContainerRestartRule, Pod, PodSpec, PodStatus } from "#/api/core/v1.ts";
import type { ObservedContainer, ObservedPod } from "./observed-pod.ts";
import type { AnyContainer } from "./pod-containers.ts";

/** Whether a container that ended with this code has to run again: by its rules, else its policy, else the pod's. */
export function restartsAfterExit(
  container: AnyContainer,
  spec: Pick<PodSpec, "restartPolicy">,
  exitCode: number,
): boolean {
  const own = container.restartPolicy;
  if (own !== undefined) {
    const action = findRestartRule(container, exitCode)?.action;
    if (action === "Restart" || action === "RestartAllContainers") return true;
  }
  switch (own ?? spec.restartPolicy) {
    case "OnFailure":
      return exitCode !== 0;
    case "Never":
      return false;
    default:
      return true;
  }
}

/** The first rule of a container that matches this exit code. */
function findRestartRule(
  { restartPolicyRules }: AnyContainer,
  exitCode: number,
): ContainerRestartRule | undefined {
  return restartPolicyRules?.find(({ exitCodes }) => {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    if (exitCodes?.operator === "In") return listed;
    return exitCodes?.operator === "NotIn" && !listed;
  });
}

/** Whether a container that is killed while it runs has to run again; rules need an exit code and don't apply. */
export function restartsAfterKill(
  container: AnyContainer,
  spec: Pick<PodSpec, "restartPolicy">,
): boolean {
  return (container.restartPolicy ?? spec.restartPolicy) !== "Never";
}

/** Whether a container that isn't running has to be started. */
export function isToStart(
  container: AnyContainer,
  pod: Pod,
  observed: ObservedContainer | undefined,
): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  if (observed === undefined) return true;
  if (observed.state === "running") return false;
  if (observed.state !== "exited") return true;
  return restartsAfterExit(container, pod.spec, observed.exitCode);
}

/** Whether a container has ended in a way that restarts all containers of the pod. */
export function asksToRestartAll(pod: Pod, observed: ObservedPod, status?: PodStatus): boolean {
  const restarting = status?.conditions?.some(
    (condition) => condition.type === "AllContainersRestarting" && condition.status === "True",
  );
  if (restarting) return true;
  const reported = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers].some((container) => {
    if (container.restartPolicyRules === undefined) return false;
    const asks = (exitCode: number | undefined): boolean =>
      exitCode !== undefined &&
      findRestartRule(container, exitCode)?.action === "RestartAllContainers";
    const seen = observed.containers.find(({ name }) => name === container.name);
    if (seen !== undefined && seen.state !== "exited") return false;
    const known = reported.find(({ name }) => name === container.name);
    return asks(seen?.exitCode) || asks(known?.state?.terminated?.exitCode);
  });
}
