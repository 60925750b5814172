/** Upstream: cloud-provider-aws pkg/providers/v1/variant/fargate. */
import type { NodeAddress } from "#/api/core/v1.ts";
import type { AwsMetrics } from "../base/aws-metrics.ts";
import { fargatePrefix } from "../base/instance-id.ts";
import type { AwsClient } from "../client/aws-client.ts";
import { describeNetworkInterfaces } from "../client/ec2-operations.ts";
import type { ResultOf } from "../client/operation.ts";

type NetworkInterface = ResultOf<typeof describeNetworkInterfaces>["networkInterfaceSet"][number];

interface FargateOptions {
  readonly client: AwsClient;
  readonly metrics: AwsMetrics;
  readonly vpcId: string;
  readonly families: readonly string[];
}

/** Machines of Fargate: EC2 lists only their network interfaces, which are found by their address. */
export class Fargate {
  readonly #options: FargateOptions;

  constructor(options: FargateOptions) {
    this.#options = options;
  }

  /** The interface of a machine; undefined if there is none. */
  async find(instanceId: string, signal: AbortSignal): Promise<NetworkInterface | undefined> {
    const { client, metrics, vpcId } = this.#options;
    const params = {
      Filter: [
        { Name: "attachment.status", Value: ["attached"] },
        { Name: "vpc-id", Value: [vpcId] },
        { Name: "private-ip-address", Value: [addressOf(instanceId)] },
      ],
    };
    const { networkInterfaceSet: found } = await metrics.measure(
      "describe_network_interfaces",
      () => client.call(describeNetworkInterfaces, params, signal),
    );
    if (found.length > 1) {
      const ids = found.map(({ networkInterfaceId }) => networkInterfaceId).join(" ");
      throw new Error(`multiple interfaces found with same id [${ids}]`);
    }
    return found[0];
  }

  addresses(found: NetworkInterface): readonly NodeAddress[] {
    const { privateDnsName, privateIpAddress = "", ipv6AddressesSet } = found;
    return this.#options.families.flatMap((family) => {
      const address = family === "ipv4" ? privateIpAddress : ipv6AddressesSet[0]?.ipv6Address;
      if ((family !== "ipv4" && family !== "ipv6") || address === undefined) return [];
      const name = privateDnsName ? [{ type: "InternalDNS", address: privateDnsName }] : [];
      return [{ type: "InternalIP", address }, ...name];
    });
  }
}

/** The address in "fargate-10.0.0.1" or "fargate-ip-10-0-0-1.eu-central-1.compute.internal". */
function addressOf(instanceId: string): string {
  const name = instanceId.slice(fargatePrefix.length);
  if (!name.startsWith("ip-")) return name;
  return (name.slice("ip-".length).split(".", 1)[0] ?? "").replaceAll("-", ".");
}
