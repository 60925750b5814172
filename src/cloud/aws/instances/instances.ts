/** Upstream: cloud-provider-aws pkg/providers/v1/instances_v2.go. */
import type { Node } from "#/api/core/v1.ts";
import {
  type InstanceMetadata,
  InstanceNotFoundError,
  type Instances,
} from "#/cloud/base/provider.ts";
import { asError } from "#/std/base/as-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { AwsCloud } from "../base/aws-cloud.ts";
import { isInstanceNotFound } from "../base/instance-directory.ts";
import { isFargate, parseProviderId } from "../base/instance-id.ts";
import type { Ec2Instance } from "../client/ec2-operations.ts";
import { Fargate } from "./fargate.ts";
import { computeNodeAddresses } from "./node-addresses.ts";
import { InstanceTopology } from "./topology.ts";

const zoneIdLabel = "topology.k8s.aws/zone-id";

/** Followed by 1, 2, … from the top of the network. */
const networkNodeLabel = "topology.k8s.aws/network-node-layer-";

/** What is known of a machine without labels. */
type Facts = Omit<InstanceMetadata, "providerId" | "additionalLabels">;

export class AwsInstances implements Instances {
  readonly #cloud: AwsCloud;
  readonly #fargate: Fargate;
  readonly #topology: InstanceTopology;

  constructor(cloud: AwsCloud) {
    const { client, config, metrics, vpcId, clock, log, region } = cloud;
    this.#cloud = cloud;
    this.#fargate = new Fargate({ client, metrics, vpcId, families: config.NodeIPFamilies });
    const pattern = config.SupportedTopologyInstanceTypePattern;
    this.#topology = new InstanceTopology({ client, clock, log, region, pattern });
  }

  async exists(node: Node, signal: AbortSignal): Promise<boolean> {
    const id = await this.#findId(node, signal);
    if (id === undefined) return false;
    if (isFargate(id)) return (await this.#fargate.find(id, signal)) !== undefined;
    try {
      const instance = await this.#cloud.instances.findById(id);
      const state = instance?.instanceState?.name;
      return instance?.instanceState !== undefined && state !== "terminated";
    } catch (error) {
      if (isInstanceNotFound(error)) return false;
      throw error;
    }
  }

  async isShutDown(node: Node, signal: AbortSignal): Promise<boolean> {
    const id = await this.#findId(node, signal);
    if (id === undefined) return false;
    if (isFargate(id)) return (await this.#fargate.find(id, signal)) !== undefined;
    const instance = await this.#cloud.instances.findById(id);
    return instance?.instanceState?.name === "stopped";
  }

  async metadata(node: Node, signal: AbortSignal): Promise<InstanceMetadata> {
    const providerId = await this.#providerIdOf(node, signal);
    const name = node.metadata?.name ?? "";
    const id = prefixed(`failed to map provider ID to AWS instance ID for node ${name}`, () =>
      parseProviderId(providerId),
    );
    const facts = isFargate(id)
      ? await this.#factsOfFargate(id, signal)
      : await this.#factsOfInstance(id);
    const additionalLabels = await this.#additionalLabels(node, id, facts, signal);
    return { providerId, ...facts, additionalLabels };
  }

  async #factsOfFargate(id: string, signal: AbortSignal): Promise<Facts> {
    const found = await this.#fargate.find(id, signal);
    if (!found) return { instanceType: "", addresses: [], zone: "", region: "" };
    return {
      instanceType: "",
      addresses: this.#fargate.addresses(found),
      zone: found.availabilityZone ?? "",
      region: this.#cloud.region,
    };
  }

  async #factsOfInstance(id: string): Promise<Facts> {
    const { instances, region, config } = this.#cloud;
    const instance = await instances.getById(id).catch((error: unknown) => {
      if (error instanceof InstanceNotFoundError) throw error;
      throw new Error(`failed to get instance by ID ${id}: ${asError(error).message}`, {
        cause: error,
      });
    });
    const addresses = prefixed(`failed to get node addresses for instance ${id}`, () =>
      computeNodeAddresses(instance, config.NodeIPFamilies),
    );
    const zone = instance.placement?.availabilityZone ?? "";
    return { instanceType: instance.instanceType ?? "", addresses, zone, region };
  }

  /** Labels that the Node does not have yet. */
  async #additionalLabels(
    node: Node,
    id: string,
    { zone, instanceType }: Facts,
    signal: AbortSignal,
  ): Promise<Record<string, string>> {
    const existing = node.metadata?.labels ?? {};
    const labels: Record<string, string> = {};
    if (existing[zoneIdLabel] === undefined) {
      labels[zoneIdLabel] = await this.#cloud.zones.getId(zone, signal);
    }
    if (existing[`${networkNodeLabel}1`] === undefined) {
      const networkNodes = await this.#topology.networkNodes(id, instanceType, signal);
      for (const [index, networkNode] of networkNodes.entries()) {
        labels[`${networkNodeLabel}${index + 1}`] = networkNode;
      }
    }
    return labels;
  }

  /** The id of a Node's machine; undefined if there is no such machine. */
  async #findId(node: Node, signal: AbortSignal): Promise<string | undefined> {
    try {
      return parseProviderId(await this.#providerIdOf(node, signal));
    } catch (error) {
      if (error instanceof InstanceNotFoundError) return undefined;
      throw error;
    }
  }

  async #providerIdOf(node: Node, signal: AbortSignal): Promise<string> {
    if (node.spec?.providerID) return node.spec.providerID;
    const { self, instances } = this.#cloud;
    const name = node.metadata?.name ?? "";
    if (self.nodeName === name) return `aws:///${self.zone}/${self.instanceId}`;
    try {
      const instance: Ec2Instance = await instances.getByNodeName(name, signal);
      return `aws:///${instance.placement?.availabilityZone ?? ""}/${instance.instanceId ?? ""}`;
    } catch (error) {
      if (error instanceof InstanceNotFoundError || signal.aborted) throw error;
      const quoted = `${goQuote(name)} with ${goQuote(asError(error).message)}`;
      throw new Error(`getInstanceByNodeName failed for ${quoted}`, { cause: error });
    }
  }
}

function prefixed<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new Error(`${prefix}: ${asError(error).message}`, { cause: error });
  }
}
