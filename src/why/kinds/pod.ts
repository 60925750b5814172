import { type Pod, persistentVolumeClaims, pods } from "#/api/core/v1.ts";
import { findCondition, hasCondition } from "#/machinery/meta/conditions.ts";
import { kindRules, type Unfinished } from "../base/kind-rules.ts";
import { names, oneLine, timeOf } from "../base/text.ts";
import type { View } from "../base/view.ts";
import { claimNames } from "../facts/claims.ts";
import { containersOf, isScheduled, isWell } from "../facts/containers.ts";
import { probeText } from "../facts/probe-failure.ts";
import { pullInProgress } from "../facts/pull-in-progress.ts";

export const podRules = kindRules<Pod>({
  resource: pods,
  below(pod, view) {
    const started = containersOf(pod).some(({ status }) => status?.containerID !== undefined);
    if (started || isWell(pod) || pod.metadata.deletionTimestamp) return [];
    const { namespace } = pod.metadata;
    return claimNames(pod).flatMap((name) => {
      const object = view.get(persistentVolumeClaims, { name, namespace });
      return object ? [{ resource: persistentVolumeClaims, object }] : [];
    });
  },
  unfinished: (pod, view) => (isWell(pod) ? undefined : stageOf(pod, view)),
  healthy({ status, spec }) {
    if (status?.phase === "Succeeded") return "it has done its work (Succeeded)";
    const number = spec.containers.length;
    return `it is ready on node ${spec.nodeName}, with ${number === 1 ? "its container" : `all ${number} containers`} running`;
  },
});

/** Where a Pod is on its way to be ready. */
function stageOf(pod: Pod, view: View): Unfinished {
  const { metadata, spec, status } = pod;
  if (metadata.deletionTimestamp) {
    const grace = metadata.deletionGracePeriodSeconds ?? 30;
    return {
      layer: "deletion",
      sentence: `it is being deleted, and its containers have ${grace} s to end (terminationGracePeriodSeconds)`,
      since: metadata.deletionTimestamp,
    };
  }
  const created = metadata.creationTimestamp;
  if (!isScheduled(pod))
    return { layer: "scheduling", sentence: "it waits for the scheduler", since: created };
  const scheduled =
    findCondition(status?.conditions, "PodScheduled")?.lastTransitionTime ?? created;
  if (status?.phase === "Unknown")
    return {
      layer: "node",
      sentence: `node ${spec.nodeName} has lost it (phase Unknown)`,
      since: scheduled,
    };
  const pull = pullInProgress(pod, view);
  if (pull)
    return {
      layer: "image",
      sentence: `node ${spec.nodeName} is pulling its image: ${oneLine(pull.message)}`,
      since: timeOf(pull.lastMs),
    };
  return startStage(pod, scheduled);
}

function startStage(pod: Pod, since: string | undefined): Unfinished {
  const { spec, status } = pod;
  const all = containersOf(pod);
  const init = all.find(({ role, status: one }) => role === "init" && one?.state?.running);
  if (init)
    return {
      layer: "containers",
      sentence: `${init.label} runs, and the others wait for its end`,
      since: init.status?.state?.running?.startedAt,
    };
  const running = all.filter(({ status: one }) => one?.state?.running);
  const unready = running.find(({ status: one }) => !one?.ready);
  if (unready) {
    const probe =
      unready.status?.started === false && unready.spec.startupProbe
        ? unready.spec.startupProbe
        : unready.spec.readinessProbe;
    const text = probe
      ? `its probe has not succeeded yet (${probeText(probe)})`
      : "it is not ready yet";
    return {
      layer: "readiness",
      sentence: `${unready.label} runs, and ${text}`,
      since: unready.status?.state?.running?.startedAt,
    };
  }
  if (running.length > 0 && running.length === all.filter(({ role }) => role !== "init").length) {
    return {
      layer: "readiness",
      sentence: "its containers run, and it is not called ready yet",
      since: findCondition(status?.conditions, "Ready")?.lastTransitionTime,
    };
  }
  const prepared =
    hasCondition(status?.conditions, "PodReadyToStartContainers") || running.length > 0;
  return prepared
    ? { layer: "containers", sentence: `node ${spec.nodeName} is starting its containers`, since }
    : preparing(pod, since);
}

/** The volumes that another machine or a driver provides: these take time. */
const slowVolumes = ({ spec }: Pod): readonly string[] =>
  (spec.volumes ?? [])
    .filter((one) => one.persistentVolumeClaim ?? one.nfs ?? one.csi ?? one.iscsi ?? one.ephemeral)
    .map(({ name }) => name);

function preparing(pod: Pod, since: string | undefined): Unfinished {
  const { nodeName } = pod.spec;
  const volumes = slowVolumes(pod);
  return volumes.length > 0
    ? {
        layer: "volumes",
        sentence: `node ${nodeName} is attaching and mounting its volumes (${names(volumes)})`,
        since,
      }
    : {
        layer: "node",
        sentence: `node ${nodeName} is preparing its volumes, network and containers`,
        since,
      };
}
