/** Upstream: pkg/kubelet/kuberuntime/labels.go, staging/src/k8s.io/kubelet/pkg/types/labels.go. */
import type { LifecycleHandler, Pod } from "#/api/core/v1.ts";
import { containerHash } from "./container-hash.ts";
import type { AnyContainer } from "./pod-containers.ts";

/** Labels of sandboxes and containers, by which a kubelet finds its own ones. */
export const podNameLabel = "io.kubernetes.pod.name";
export const podNamespaceLabel = "io.kubernetes.pod.namespace";
export const podUIDLabel = "io.kubernetes.pod.uid";
export const containerNameLabel = "io.kubernetes.container.name";

/** Annotations of containers: the data to stop one when its pod is no longer known. */
export const hashAnnotation = "io.kubernetes.container.hash";
export const restartCountAnnotation = "io.kubernetes.container.restartCount";
export const messagePathAnnotation = "io.kubernetes.container.terminationMessagePath";
export const messagePolicyAnnotation = "io.kubernetes.container.terminationMessagePolicy";
const preStopAnnotation = "io.kubernetes.container.preStopHandler";
const portsAnnotation = "io.kubernetes.container.ports";
const deletionGraceAnnotation = "io.kubernetes.pod.deletionGracePeriod";
export const terminationGraceAnnotation = "io.kubernetes.pod.terminationGracePeriod";

export function podLabels({ metadata }: Pod): Record<string, string> {
  return {
    ...metadata.labels,
    [podNameLabel]: metadata.name ?? "",
    [podNamespaceLabel]: metadata.namespace ?? "",
    [podUIDLabel]: metadata.uid ?? "",
  };
}

export function containerLabels(pod: Pod, container: AnyContainer): Record<string, string> {
  const { metadata } = pod;
  return {
    [podNameLabel]: metadata.name ?? "",
    [podNamespaceLabel]: metadata.namespace ?? "",
    [podUIDLabel]: metadata.uid ?? "",
    [containerNameLabel]: container.name,
  };
}

export function containerAnnotations(
  pod: Pod,
  container: AnyContainer,
  restartCount: number,
): Record<string, string> {
  const annotations: Record<string, string> = {
    [hashAnnotation]: containerHash(container),
    [restartCountAnnotation]: String(restartCount),
    [messagePathAnnotation]: container.terminationMessagePath ?? "",
    [messagePolicyAnnotation]: container.terminationMessagePolicy ?? "",
  };
  const { deletionGracePeriodSeconds } = pod.metadata;
  const { terminationGracePeriodSeconds } = pod.spec;
  if (deletionGracePeriodSeconds !== undefined) {
    annotations[deletionGraceAnnotation] = String(deletionGracePeriodSeconds);
  }
  if (terminationGracePeriodSeconds !== undefined) {
    annotations[terminationGraceAnnotation] = String(terminationGracePeriodSeconds);
  }
  const preStop = container.lifecycle?.preStop;
  if (preStop) annotations[preStopAnnotation] = JSON.stringify(preStop);
  if (container.ports?.length) annotations[portsAnnotation] = JSON.stringify(container.ports);
  return annotations;
}

type Texts = Readonly<Record<string, string>>;

/**
 * A pod and container as far as a container's labels describe them: enough to stop it with its hook and grace period.
 */
export function restoreFromLabels(
  labels: Texts,
  annotations: Texts,
): { readonly pod: Pod; readonly container: AnyContainer } {
  const container: AnyContainer = { name: labels[containerNameLabel] ?? "" };
  const preStop = parseJson<LifecycleHandler>(annotations[preStopAnnotation]);
  if (preStop) container.lifecycle = { preStop };
  const ports = parseJson<NonNullable<AnyContainer["ports"]>>(annotations[portsAnnotation]);
  if (ports) container.ports = ports;
  const deletion = wholeNumber(annotations[deletionGraceAnnotation]);
  const termination = wholeNumber(annotations[terminationGraceAnnotation]);
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: labels[podNameLabel] ?? "",
      namespace: labels[podNamespaceLabel] ?? "",
      uid: labels[podUIDLabel] ?? "",
      ...(deletion !== undefined && { deletionGracePeriodSeconds: deletion }),
    },
    spec: {
      containers: [container],
      ...(termination !== undefined && { terminationGracePeriodSeconds: termination }),
    },
  };
  return { pod, container };
}

function parseJson<T>(text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
}
