/** Upstream: staging/src/k8s.io/cloud-provider/controllers/node/node_controller.go. */
import type { Node } from "#/api/core/v1.ts";
import { asError } from "#/std/base/as-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { InstanceMetadata } from "../../base/provider.ts";
import { preferProvidedIp } from "./node-addresses.ts";

const cloudTaint = "node.cloudprovider.kubernetes.io/uninitialized";

const zone = ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"] as const;
const region = [
  "failure-domain.beta.kubernetes.io/region",
  "topology.kubernetes.io/region",
] as const;
const instanceType = [
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
] as const;

/** Labels with two names; the value of the first has priority. */
const pairs = [zone, region, instanceType];
/** Prefixes that only Kubernetes may use. */
const reserved = /(^|\.)(kubernetes|k8s)\.io\//;

/** Whether the kubelet waits for the cloud to describe the node. */
export const awaitsCloud = ({ spec }: Node): boolean =>
  spec?.taints?.some(({ key }) => key === cloudTaint) ?? false;

/** The node with everything that the cloud knows of it, and without the taint. Throws if it contradicts the kubelet. */
export function planInitializedNode(node: Node, found: InstanceMetadata): Node {
  try {
    preferProvidedIp(node, found.addresses);
  } catch (error) {
    const { name = "" } = node.metadata;
    const why = `provided node ip for node ${goQuote(name)} is not valid: ${asError(error).message}`;
    throw new Error(`failed to get node modifiers from cloud provider: ${why}`);
  }
  const providerID = node.spec?.providerID || found.providerId;
  return {
    ...node,
    metadata: { ...node.metadata, labels: planLabels(node.metadata.labels ?? {}, found) },
    spec: {
      ...node.spec,
      ...(providerID === "" ? {} : { providerID }),
      taints: (node.spec?.taints ?? []).filter(({ key }) => key !== cloudTaint),
    },
  };
}

type Labels = Readonly<Record<string, string>>;

function planLabels(labels: Labels, found: InstanceMetadata): Record<string, string> {
  const both = ([beta, stable]: readonly [string, string], value: string): Labels =>
    value === "" ? {} : { [beta]: value, [stable]: value };
  const own = {
    ...labels,
    ...both(instanceType, found.instanceType),
    ...both(zone, found.zone),
    ...both(region, found.region),
  };
  const additional = Object.entries(found.additionalLabels).filter(
    ([key]) => !reserved.test(key) && !Object.hasOwn(own, key),
  );
  return { ...own, ...Object.fromEntries(additional) };
}

/** Labels whose second name must follow the first, with the value to set. */
export function planLabelPairs({ metadata: { labels = {} } }: Node): Labels {
  return Object.fromEntries(
    pairs.flatMap(([primary, secondary]) => {
      const value = labels[primary];
      return value === undefined || labels[secondary] === value ? [] : [[secondary, value]];
    }),
  );
}
