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

/** Warnings about conflicting ports, then about duplicate port names. */
export function portWarnings(spec: PodSpec, path: FieldPath): string[] {
  const warnings: string[] = [];
  const byNumber = new Map<string, { port: ContainerPort; at: FieldPath }[]>();
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
      const others = byNumber.get(key) ?? [];
      for (const other of others) {
        const relation = relate(port, other.port);
        if (relation) warnings.push(`${at}: ${relation} port definition with ${other.at}`);
      }
      byNumber.set(key, [...others, { port, at }]);
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

function relate(a: ContainerPort, b: ContainerPort): string | undefined {
  const [hostA = "", hostB = ""] = [a.hostIP, b.hostIP];
  const [portA = 0, portB = 0] = [a.hostPort, b.hostPort];
  if (hostA === hostB && portA === portB) return "duplicate";
  if (portA === 0 || portB === 0) return "overlapping";
  const oneIsAny = (hostA === "") !== (hostB === "");
  return portA === portB && oneIsAny ? "dangerously ambiguous" : undefined;
}
