/** Upstream: pkg/apis/core/v1/defaults.go. The API server gives these to all pods but static ones. */
import type { Container, PodSpec, Probe } from "#/api/core/v1.ts";
import { parseImageName } from "../../images/image-name.ts";

/** Sets the defaults of a pod that no API server has processed. */
export function setPodDefaults(spec: PodSpec): void {
  spec.restartPolicy ??= "Always";
  spec.dnsPolicy ??= "ClusterFirst";
  spec.schedulerName ??= "default-scheduler";
  spec.terminationGracePeriodSeconds ??= 30;
  spec.securityContext ??= {};
  spec.enableServiceLinks ??= true;
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    setContainerDefaults(container, spec);
  }
}

function setContainerDefaults(container: Container, { hostNetwork }: PodSpec): void {
  container.imagePullPolicy ??= pullPolicyOf(container.image ?? "");
  container.terminationMessagePath ??= "/dev/termination-log";
  container.terminationMessagePolicy ??= "File";
  for (const port of container.ports ?? []) {
    port.protocol ??= "TCP";
    if (hostNetwork) port.hostPort ??= port.containerPort;
  }
  const { limits, requests } = container.resources ?? {};
  if (limits)
    container.resources = { ...container.resources, requests: { ...limits, ...requests } };
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe) setProbeDefaults(probe);
  }
}

function setProbeDefaults(probe: Probe): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  if (probe.httpGet) {
    probe.httpGet.path ||= "/";
    probe.httpGet.scheme ||= "HTTP";
  }
}

function pullPolicyOf(image: string): "Always" | "IfNotPresent" {
  try {
    return parseImageName(image).tag === "latest" ? "Always" : "IfNotPresent";
  } catch {
    return "IfNotPresent";
  }
}
