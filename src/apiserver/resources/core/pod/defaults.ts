import type { Container, ContainerStatus, Pod, PodSpec, PodStatus } from "#/api/core/v1.ts";
import { roundResourceList } from "../pod-spec/base/resource-list-defaults.ts";
import { setPodSpecDefaults } from "../pod-spec/pod-defaults.ts";

/**
 * Fills in what a pod's spec leaves out: what all pod specs have in common, and what only those of pods themselves get.
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

/** What is limited and not requested is requested up to its limit. A spec that has it all stays as it is. */
function requestLimits({ resources }: Container): void {
  if (resources?.limits === undefined) return;
  const { requests } = resources;
  if (requests && Object.keys(resources.limits).every((name) => name in requests)) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}

/** In the host's network, every port is one of the host's. */
function useHostPorts({ ports = [] }: Container): void {
  for (const port of ports) port.hostPort ||= port.containerPort;
}

/** Fills in what the rest of a pod leaves out. */
export function setPodDefaults({ status }: Pod): void {
  if (status !== undefined) setStatusDefaults(status);
}

function setStatusDefaults(status: PodStatus): void {
  const { podIP, podIPs = [] } = status;
  // The single address is the one to believe, for kubelets that know no other.
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
