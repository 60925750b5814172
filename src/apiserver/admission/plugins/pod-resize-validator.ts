import { type Node, nodes, type Pod, pods } from "#/api/core/v1.ts";
import { podRequests } from "#/machinery/pods/pod-resources.ts";
import { parseQuantity, zeroQuantity } from "#/machinery/values/quantity.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { type Admitted, admissionPlugin } from "../base/admission-plugin.ts";
import { findObject } from "../base/find-object.ts";
import { forbid } from "../base/forbid.ts";

const osLabel = "kubernetes.io/os";

/** Refuses a resize over the node's capacity. Upstream: plugin/pkg/admission/podresize/admission.go. */
export const podResizeValidator = admissionPlugin({
  name: "PodResizeValidator",
  on: pods,
  subresources: ["resize"],
  operations: ["UPDATE"],
  validate(attributes, { registry }) {
    const { object: pod, oldObject } = attributes;
    const { nodeName } = pod.spec;
    if (!nodeName || oldObject?.metadata.generation === pod.metadata.generation) return;
    const node = findObject(registry, nodes, "", nodeName);
    if (!node) throw forbid(attributes, `node ${goQuote(nodeName)} not found`);
    const os = node.metadata.labels?.[osLabel];
    if (os !== undefined && os !== "linux") {
      const which = `node ${goQuote(nodeName)} is ${goQuote(os)}`;
      const message = `pod resize is only supported on linux nodes, ${which}`;
      throw refusal(attributes, message, "UnsupportedPlatform");
    }
    const shortage = findShortage(pod, node);
    if (shortage !== "") throw refusal(attributes, shortage, "NodeCapacity");
  },
});

function refusal(attributes: Admitted<Pod>, message: string, reason: string) {
  const error = forbid(attributes, message);
  error.status.details = { ...error.status.details, causes: [{ reason }] };
  return error;
}

function findShortage(pod: Decoded<Pod>, { status }: Node): string {
  const requests = podRequests(pod);
  const allocatable = (name: string) => parseQuantity(String(status?.allocatable?.[name] ?? "0"));
  const messages: string[] = [];
  const cpu = requests.get("cpu") ?? zeroQuantity;
  if (cpu.compare(allocatable("cpu")) > 0) {
    const available = allocatable("cpu").milliValue();
    messages.push(`cpu, requested: ${cpu.milliValue()}, allocatable: ${available}`);
  }
  const memory = requests.get("memory") ?? zeroQuantity;
  if (memory.compare(allocatable("memory")) > 0) {
    const available = allocatable("memory").value();
    messages.push(`memory, requested: ${memory.value()}, allocatable: ${available}`);
  }
  if (messages.length === 0) return "";
  return `node didn't have enough allocatable resources: ${messages.join("; ")}`;
}
