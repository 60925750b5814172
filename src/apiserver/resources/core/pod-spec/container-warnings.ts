import type {
  Container,
  ContainerPort,
  EnvVar,
  PodSpec,
  ResourceList,
  ResourceRequirements,
} from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { visitContainers } from "./base/visit-containers.ts";
import { fractionWarnings, isWhole } from "./fraction-warnings.ts";
import { RelatedPorts } from "./related-ports.ts";

/** Upstream: pkg/api/pod/warnings.go. */

/** Warnings about one container. */
export function containerWarnings({ resources, env }: Container, path: FieldPath): string[] {
  const warnings = envWarnings(env ?? [], path.child("env"));
  if (resources === undefined || hasWholeBytes(resources)) return warnings;
  const at = path.child("resources");
  return [
    ...fractionWarnings(resources.limits, at.child("limits"), ["memory"]),
    ...fractionWarnings(resources.requests, at.child("requests"), ["memory"]),
    ...fractionWarnings(resources.limits, at.child("limits"), ["ephemeral-storage"]),
    ...fractionWarnings(resources.requests, at.child("requests"), ["ephemeral-storage"]),
    ...warnings,
  ];
}

/** Whether amounts of bytes are whole, which is the usual case: then there are no warnings. */
function hasWholeBytes({ limits, requests }: ResourceRequirements): boolean {
  const isRight = (list: ResourceList | undefined): boolean =>
    isWhole(list?.["memory"] ?? "0") && isWhole(list?.["ephemeral-storage"] ?? "0");
  return isRight(limits) && isRight(requests);
}

/** A duplicate variable causes no warning if it refers to the first one. */
function envWarnings(vars: readonly EnvVar[], path: FieldPath): string[] {
  const seen = new Set<string>();
  return vars.flatMap(({ name, value = "", valueFrom }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const reference = `$(${name})`;
    const builds = valueFrom === undefined && value !== reference && value.includes(reference);
    if (builds) return [];
    const message = `hides previous definition of ${goQuote(name)}, which may be dropped when using apply`;
    return [`${path.index(index)}: ${message}`];
  });
}

/** Limit of warnings about ports (count): each port may conflict with all others, and headers have room for few. */
const maxPortWarnings = 4096;

/** Warnings about conflicting ports, then about duplicate port names. */
export function portWarnings(spec: PodSpec, path: FieldPath): string[] {
  const warnings: string[] = [];
  const byNumber = new Map<string, RelatedPorts>();
  const byName = new Map<string, FieldPath>();
  const ofNames: string[] = [];
  visitContainers(spec, path, ({ ports = [] }, container) => {
    ports.forEach((port, index) => {
      const at = container.child("ports").index(index);
      const { name = "", hostIP, hostPort, containerPort, protocol = "" } = port;
      if (hostIP && !hostPort) {
        warnings.push(`${at}: hostIP set without hostPort: ${formatPort(port)}`);
      }
      const key = `${containerPort}/${protocol}`;
      const others = byNumber.get(key) ?? new RelatedPorts();
      for (const other of warnings.length < maxPortWarnings ? others.relatedTo(port) : []) {
        warnings.push(`${at}: ${other.relation} port definition with ${other.at}`);
      }
      others.add(port, at);
      byNumber.set(key, others);
      if (name === "") return;
      const first = byName.get(name);
      if (first === undefined) byName.set(name, at);
      else {
        const message = `duplicate port name ${goQuote(name)} with ${first}, services and probes that select ports by name will use ${first}`;
        ofNames.push(`${at}: ${message}`);
      }
    });
  });
  return [...warnings, ...ofNames];
}

/** As Go's %+v formats it. */
function formatPort(port: ContainerPort): string {
  const { name = "", hostPort = 0, containerPort, protocol = "", hostIP = "" } = port;
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}
