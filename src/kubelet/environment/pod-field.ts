import type { Container, ObjectFieldSelector, Pod, ResourceFieldSelector } from "#/api/core/v1.ts";
import { isQualifiedName } from "#/machinery/meta/names.ts";
import { hasPodLevel } from "#/machinery/pods/pod-resources.ts";
import { parseQuantity, zeroQuantity } from "#/machinery/values/quantity.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/** Facts about a pod that its spec doesn't contain. */
export interface RuntimeFacts {
  readonly hostIPs: readonly string[];
  readonly podIPs: readonly string[];
  /** The node's allocatable amounts, which are the limits of containers that have none. */
  readonly allocatable: Readonly<Record<string, string>>;
}

/**
 * The value of a field of the pod, as downward API volumes and variables show it.
 *
 * Upstream: pkg/fieldpath/fieldpath.go, pkg/kubelet/kubelet_pods.go.
 */
export function podField(
  pod: Pod,
  { fieldPath, apiVersion }: ObjectFieldSelector,
  facts: RuntimeFacts,
): string {
  if (apiVersion !== undefined && apiVersion !== "" && apiVersion !== "v1") {
    throw new Error(`unsupported pod version: ${apiVersion}`);
  }
  const subscript = /^(.+?)\['(.*)'\]$/s.exec(fieldPath);
  if (subscript !== null) return mapEntry(pod, fieldPath, subscript[1] ?? "", subscript[2] ?? "");
  const { metadata, spec } = pod;
  switch (fieldPath) {
    case "metadata.annotations":
      return formatMap(metadata.annotations);
    case "metadata.labels":
      return formatMap(metadata.labels);
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    case "spec.nodeName":
      return spec.nodeName ?? "";
    case "spec.serviceAccountName":
      return spec.serviceAccountName ?? "";
    case "status.hostIP":
    case "spec.host":
      return facts.hostIPs[0] ?? "";
    case "status.hostIPs":
      return facts.hostIPs.join(",");
    case "status.podIP":
      return facts.podIPs[0] ?? "";
    case "status.podIPs":
      return facts.podIPs.join(",");
    default:
      throw new Error(`unsupported fieldPath: ${fieldPath}`);
  }
}

function mapEntry(pod: Pod, fieldPath: string, path: string, key: string): string {
  const { annotations, labels } = pod.metadata;
  if (path !== "metadata.annotations" && path !== "metadata.labels") {
    throw new Error(`fieldPath ${goQuote(fieldPath)} does not support subscript`);
  }
  const isLabel = path === "metadata.labels";
  const problems = isQualifiedName(isLabel ? key : key.toLowerCase());
  if (problems.length > 0) {
    throw new Error(`invalid key subscript in ${fieldPath}: ${problems.join(";")}`);
  }
  return (isLabel ? labels : annotations)?.[key] ?? "";
}

/** A map as lines of `key="value"`, sorted by key. */
function formatMap(map: Readonly<Record<string, string>> | undefined): string {
  return Object.keys(map ?? {})
    .sort()
    .map((key) => `${key}=${goQuote(map?.[key] ?? "")}`)
    .join("\n");
}

/**
 * An amount of a container, in units of the divisor, rounded up. A missing limit is the pod's, or the node's
 * allocatable amount.
 *
 * Upstream: pkg/api/v1/resource/helpers.go, pkg/kubelet/kubelet_resources.go.
 */
export function resourceField(
  pod: Pod,
  { containerName, resource, divisor }: ResourceFieldSelector,
  facts: RuntimeFacts,
  self?: Container,
): string {
  const container = containerName ? containerOf(pod, containerName) : self;
  if (container === undefined) throw new Error(`container ${containerName ?? ""} not found`);
  const [, which, name = ""] = /^(limits|requests)\.(.+)$/.exec(resource) ?? [];
  const supported = ["cpu", "memory", "ephemeral-storage"].includes(name);
  if (which === undefined || (!supported && !name.startsWith("hugepages-"))) {
    throw new Error(`unsupported container resource : ${resource}`);
  }
  const text =
    which === "limits"
      ? limitOf(pod, container, name, facts)
      : container.resources?.requests?.[name];
  const amount = text === undefined ? zeroQuantity : parseQuantity(text);
  const given = divisor === undefined ? zeroQuantity : parseQuantity(divisor);
  const unit = given.isZero ? parseQuantity("1") : given;
  const [value, per] =
    name === "cpu" ? [amount.milliValue(), unit.milliValue()] : [amount.value(), unit.value()];
  return String(Math.ceil(value / per));
}

function containerOf({ spec }: Pod, name: string): Container | undefined {
  return [...spec.containers, ...(spec.initContainers ?? [])].find((one) => one.name === name);
}

function limitOf(pod: Pod, container: Container, name: string, facts: RuntimeFacts) {
  const own = container.resources?.limits?.[name];
  if (own !== undefined && !parseQuantity(own).isZero) return own;
  const podLevel = hasPodLevel(pod, ["limits"]) ? pod.spec.resources?.limits?.[name] : undefined;
  return podLevel ?? facts.allocatable[name];
}
