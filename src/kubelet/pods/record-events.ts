/** Upstream: pkg/kubelet/container/ref.go. */
import type { ObjectReference, Pod } from "#/api/core/v1.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import { containerFieldPath } from "../state/pod-containers.ts";
import type { PodEvents } from "../state/pod-events.ts";
import type { PodSteps } from "../state/pod-steps.ts";
import { hashAnnotation, isStaticPod } from "../state/static-pods.ts";

/**
 * Reasons of failures that are steps of their own: see PodSteps. Those of probes contain what programs print, which no step
 * does.
 */
const steppedReasons: ReadonlySet<string> = new Set([
  "BackOff",
  "Failed",
  "FailedMount",
  "FailedCreatePodSandBox",
  "ErrImageNeverPull",
  "InspectFailed",
  "ProbeWarning",
  "Unhealthy",
]);

/** Records events about pods through the API. */
export function recordPodEvents(recorder: EventRecorder, steps: PodSteps): PodEvents {
  return {
    record(pod, { type, reason, message, container }) {
      if (type === "Warning" && !steppedReasons.has(reason)) {
        steps.warned(pod, reason, message, container);
      }
      recorder.event(podReference(pod, container), type, reason, message);
    },
  };
}

/** A reference to a pod, or to one of its containers. A static pod's events are found by its hash. */
function podReference(pod: Pod, container?: string): ObjectReference {
  const { name, namespace, uid, resourceVersion, annotations } = pod.metadata;
  const found = isStaticPod(pod) ? annotations?.[hashAnnotation] : uid;
  return {
    apiVersion: "v1",
    kind: "Pod",
    ...(name && { name }),
    ...(namespace && { namespace }),
    ...(found && { uid: found }),
    ...(resourceVersion && { resourceVersion }),
    ...(container && { fieldPath: containerFieldPath(pod, container) }),
  };
}
