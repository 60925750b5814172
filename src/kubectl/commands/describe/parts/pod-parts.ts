/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go (containers, volumes, templates). */

import type {
  Container,
  ContainerPort,
  ContainerState,
  ContainerStatus,
  EnvVar,
  Pod,
  PodTemplateSpec,
  Probe,
  ResourceFieldSelector,
  ResourceRequirements,
  TopologySpreadConstraint,
} from "#/api/core/v1.ts";
import { formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { goSort } from "#/std/go/go-sort.ts";
import { fieldAt } from "../../../base/unstructured.ts";
import { type Description, longTime } from "./description.ts";
import { describeVolumes } from "./volumes.ts";

interface ContainerList {
  readonly label: string;
  readonly containers: readonly Container[];
  readonly statuses?: readonly ContainerStatus[] | undefined;
  /** Resolves references to fields. */
  readonly pod?: Pod;
  readonly indent?: string;
}

export function describeContainers(
  to: Description,
  { label, containers, statuses = [], pod, indent = "" }: ContainerList,
): void {
  to.write(0, `${indent}${label}:${containers.length === 0 ? " <none>" : ""}\n`);
  for (const container of containers) {
    const status = statuses.find(({ name }) => name === container.name);
    to.write(1, `${indent === "" ? "" : " "}${container.name}:\n`);
    basics(to, container, status);
    words(to, "Command", container.command);
    words(to, "Args", container.args);
    if (status) state(to, status);
    describeResources(to, container.resources, 2);
    if (container.livenessProbe) to.field(2, "Liveness", probeText(container.livenessProbe));
    if (container.readinessProbe) to.field(2, "Readiness", probeText(container.readinessProbe));
    if (container.startupProbe) to.field(2, "Startup", probeText(container.startupProbe));
    environment(to, container, pod);
    mounts(to, container);
  }
}

function basics(to: Description, container: Container, status: ContainerStatus | undefined): void {
  if (status) to.field(2, "Container ID", status.containerID ?? "");
  to.field(2, "Image", container.image ?? "");
  if (status) to.field(2, "Image ID", status.imageID ?? "");
  ports(to, "Port", container.ports, ({ containerPort }) => containerPort);
  ports(to, "Host Port", container.ports, ({ hostPort = 0 }) => hostPort);
  const seccomp = container.securityContext?.seccompProfile;
  if (!seccomp) return;
  to.field(2, "SeccompProfile", seccomp.type);
  if (seccomp.type === "Localhost") to.field(3, "LocalhostProfile", seccomp.localhostProfile ?? "");
}

function ports(
  to: Description,
  title: string,
  all: readonly ContainerPort[] = [],
  number: (port: ContainerPort) => number,
): void {
  const texts = all.map((port) => {
    const text = `${number(port)}/${port.protocol ?? ""}`;
    return port.name ? `${text} (${port.name})` : text;
  });
  const text = texts.join(", ");
  to.field(2, text.includes(",") ? `${title}s` : title, text || "<none>");
}

function words(to: Description, title: string, list: readonly string[] = []): void {
  if (list.length === 0) return;
  to.write(2, `${title}:\n`);
  for (const word of list) for (const line of word.split("\n")) to.write(3, `${line}\n`);
}

function state(to: Description, status: ContainerStatus): void {
  oneState(to, "State", status.state ?? {});
  if (status.lastState?.terminated) oneState(to, "Last State", status.lastState);
  to.field(2, "Ready", status.ready ? "True" : "False");
  to.field(2, "Restart Count", status.restartCount ?? 0);
}

function oneState(
  to: Description,
  title: string,
  { running, waiting, terminated }: ContainerState,
): void {
  if (running) {
    to.field(2, title, "Running");
    to.field(3, "Started", longTime(running.startedAt));
  } else if (terminated && !waiting) {
    to.field(2, title, "Terminated");
    if (terminated.reason) to.field(3, "Reason", terminated.reason);
    if (terminated.message) to.field(3, "Message", terminated.message);
    to.field(3, "Exit Code", terminated.exitCode);
    if (terminated.signal) to.field(3, "Signal", terminated.signal);
    to.field(3, "Started", longTime(terminated.startedAt));
    to.field(3, "Finished", longTime(terminated.finishedAt));
  } else {
    to.field(2, title, "Waiting");
    if (waiting?.reason) to.field(3, "Reason", waiting.reason);
  }
}

/** Limits and requests, by name. */
export function describeResources(
  to: Description,
  resources: Pick<ResourceRequirements, "limits" | "requests"> | undefined,
  level: number,
): void {
  for (const [title, list = {}] of [
    ["Limits", resources?.limits],
    ["Requests", resources?.requests],
  ] as const) {
    const names = Object.keys(list).sort();
    if (names.length > 0) to.write(level, `${title}:\n`);
    for (const name of names) to.field(level + 1, name, list[name]);
  }
}

function probeText(probe: Probe): string {
  const {
    initialDelaySeconds: delay = 0,
    timeoutSeconds: timeout = 0,
    periodSeconds: period = 0,
    successThreshold: success = 0,
    failureThreshold: failure = 0,
  } = probe;
  const attributes = `delay=${delay}s timeout=${timeout}s period=${period}s successThreshold=${success} failureThreshold=${failure}`;
  const { exec, httpGet, tcpSocket, grpc } = probe;
  if (exec) return `exec [${(exec.command ?? []).join(" ")}] ${attributes}`;
  if (httpGet) {
    const { host = "", port, path = "", scheme = "" } = httpGet;
    const at = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    return `http-get ${scheme.toLowerCase()}://${at}${path} ${attributes}`;
  }
  if (tcpSocket) return `tcp-socket ${tcpSocket.host ?? ""}:${tcpSocket.port} ${attributes}`;
  if (grpc) return `grpc <pod>:${grpc.port} ${grpc.service ?? ""} ${attributes}`;
  return `unknown ${attributes}`;
}

function environment(to: Description, container: Container, pod: Pod | undefined): void {
  const { env = [], envFrom = [] } = container;
  if (envFrom.length > 0) to.write(2, "Environment Variables from:\n");
  for (const { configMapRef, secretRef, prefix = "" } of envFrom) {
    const { name = "", optional = false } = configMapRef ?? secretRef ?? {};
    const kind = configMapRef ? "ConfigMap" : secretRef ? "Secret" : "";
    const from = prefix === "" ? kind : `${kind} with prefix '${prefix}'`;
    to.write(3, `${name}\t${from}\tOptional: ${optional}\n`);
  }
  to.write(2, `Environment:${env.length === 0 ? "\t<none>" : ""}\n`);
  for (const variable of env) describeVariable(to, variable, container, pod);
}

function describeVariable(
  to: Description,
  { name, value = "", valueFrom }: EnvVar,
  container: Container,
  pod: Pod | undefined,
): void {
  if (!valueFrom) {
    for (const [i, line] of value.split("\n").entries()) {
      to.write(3, i === 0 ? `${name}:\t${line}\n` : `\t${line}\n`);
    }
    return;
  }
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef } = valueFrom;
  if (fieldRef) {
    const found = pod ? fieldValue(pod, fieldRef.fieldPath) : "";
    to.field(3, name, `${found} (${fieldRef.apiVersion ?? "v1"}:${fieldRef.fieldPath})`);
  } else if (resourceFieldRef) {
    const [list = "", ...rest] = resourceFieldRef.resource.split(".");
    const found = fieldAt(container.resources, list, rest.join("."));
    const isLimit = ["limits.cpu", "limits.memory"].includes(resourceFieldRef.resource);
    const shown =
      found === undefined
        ? isLimit
          ? "node allocatable"
          : "0"
        : inUnits(String(found), resourceFieldRef);
    to.field(3, name, `${shown} (${resourceFieldRef.resource})`);
  } else if (secretKeyRef) {
    const { key, name: secret = "", optional = false } = secretKeyRef;
    to.field(3, name, `<set to the key '${key}' in secret '${secret}'>\tOptional: ${optional}`);
  } else if (configMapKeyRef) {
    const { key, name: map = "", optional = false } = configMapKeyRef;
    to.field(3, name, `<set to the key '${key}' of config map '${map}'>\tOptional: ${optional}`);
  }
}

/** An amount in units of the divisor, rounded up. */
function inUnits(amount: string, { resource, divisor = "0" }: ResourceFieldSelector): string {
  const [value, unit] = [parseQuantity(amount), parseQuantity(divisor)];
  if (resource.endsWith(".cpu")) {
    return String(Math.ceil(value.milliValue() / (unit.isZero ? 1000 : unit.milliValue())));
  }
  return String(Math.ceil(value.value() / (unit.isZero ? 1 : unit.value())));
}

function fieldValue(pod: Pod, path: string): string {
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (subscript)
    return String(fieldAt(pod, "metadata", subscript[1] ?? "", subscript[2] ?? "") ?? "");
  const value = fieldAt(pod, ...path.split("."));
  return typeof value === "object" ? "" : String(value ?? "");
}

function mounts(to: Description, { volumeMounts = [], volumeDevices = [] }: Container): void {
  to.write(2, `Mounts:${volumeMounts.length === 0 ? "\t<none>" : ""}\n`);
  for (const mount of goSort(volumeMounts, (a, b) => a.mountPath < b.mountPath)) {
    const flags = [
      mount.readOnly ? "ro" : "rw",
      ...(mount.subPath ? [`path=${goQuote(mount.subPath)}`] : []),
    ];
    to.write(3, `${mount.mountPath} from ${mount.name} (${flags.join(",")})\n`);
  }
  if (volumeDevices.length === 0) return;
  to.write(2, `Devices:${volumeMounts.length === 0 ? "\t<none>" : ""}\n`);
  for (const device of goSort(volumeDevices, (a, b) => a.devicePath < b.devicePath)) {
    to.write(3, `${device.devicePath} from ${device.name}\n`);
  }
}

export function describeSpread(
  to: Description,
  constraints: readonly TopologySpreadConstraint[] = [],
  indent = "",
): void {
  const sorted = goSort(constraints, (a, b) => a.topologyKey < b.topologyKey);
  for (const [i, each] of sorted.entries()) {
    to.write(0, i === 0 ? `${indent}Topology Spread Constraints:\t` : `${indent}\t`);
    const selector = each.labelSelector
      ? ` for selector ${formatLabelSelector(each.labelSelector)}`
      : "";
    to.write(
      0,
      `${each.topologyKey}:${each.whenUnsatisfiable} when max skew ${each.maxSkew} is exceeded${selector}\n`,
    );
  }
}

/** The template of the Pods of a workload. */
export function describeTemplate(to: Description, template: PodTemplateSpec | undefined): void {
  to.write(0, "Pod Template:\n");
  if (!template) {
    to.write(1, "<unset>");
    return;
  }
  const { metadata, spec } = template;
  to.labels("  Labels", metadata?.labels);
  if (Object.keys(metadata?.annotations ?? {}).length > 0) {
    to.annotations("  Annotations", metadata?.annotations);
  }
  if (spec?.serviceAccountName) to.field(1, "Service Account", spec.serviceAccountName);
  const indent = "  ";
  const { initContainers = [], containers = [] } = spec ?? {};
  if (initContainers.length > 0) {
    describeContainers(to, { label: "Init Containers", containers: initContainers, indent });
  }
  describeContainers(to, { label: "Containers", containers, indent });
  describeVolumes(to, spec?.volumes, indent);
  describeSpread(to, spec?.topologySpreadConstraints, indent);
  if (spec?.priorityClassName) to.field(1, "Priority Class Name", spec.priorityClassName);
  to.labels("  Node-Selectors", spec?.nodeSelector);
  to.tolerations("  Tolerations", spec?.tolerations);
}
