import type { Container, ContainerStatus, Pod, PodSpec, PodStatus } from "#/api/core/v1.ts";
import { roundResourceList } from "../pod-spec/base/resource-list-defaults.ts";
import { setPodSpecDefaults } from "../pod-spec/pod-defaults.ts";

/**
 * Sets the defaults of a Pod spec: those of all Pod specs, and those of Pods only.
 *
 * Upstream: pkg/apis/core/v1/defaults.go.
 */
export function setSpecDefaults(spec: PodSpec): void {
  const { containers = [], initContainers = [] } = spec;
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  for (const container of containers) requestLimits(container);
  for (const container of initContainers) requestLimits(container);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) {
    for (const container of containers) useHostPorts(container);
    for (const container of initContainers) useHostPorts(container);
  }
  setPodSpecDefaults(spec);
}

/** A limit without a request becomes the request too. A complete spec stays unchanged. */
function requestLimits({ resources }: Container): void {
  if (resources?.limits === undefined) return;
  const { requests } = resources;
  if (requests && Object.keys(resources.limits).every((name) => name in requests)) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}

/** With hostNetwork, every container port is also a host port. */
function useHostPorts({ ports = [] }: Container): void {
  for (const port of ports) port.hostPort ||= port.containerPort;
}

/** Sets the defaults of the other fields of a Pod. */
export function setPodDefaults({ status }: Pod): void {
  if (status !== undefined) setStatusDefaults(status);
}

function setStatusDefaults(status: PodStatus): void {
  const { podIP, podIPs = [] } = status;
  // If podIP and podIPs differ, podIP wins, for kubelets that know only this field.
  if (podIP && podIPs[0]?.ip !== podIP) status.podIPs = [{ ip: podIP }];
  else if (!podIP && podIPs[0]) status.podIP = podIPs[0].ip;
  for (const one of status.initContainerStatuses ?? []) roundContainerStatus(one);
  for (const one of status.containerStatuses ?? []) roundContainerStatus(one);
  for (const one of status.ephemeralContainerStatuses ?? []) roundContainerStatus(one);
  roundResourceList(status.allocatedResources);
  roundResourceList(status.resources?.limits);
  roundResourceList(status.resources?.requests);
}

function roundContainerStatus({ allocatedResources, resources }: ContainerStatus): void {
  roundResourceList(allocatedResources);
  roundResourceList(resources?.limits);
  roundResourceList(resources?.requests);
}
