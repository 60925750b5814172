import type { Service } from "#/api/core/v1.ts";
import type { ClusterTags } from "../../base/cluster-tags.ts";
import type { GlobalConfig } from "../../config/cloud-config.ts";

/** What load balancers need to know of the cloud besides the calls of their own. */
export interface LbEnvironment {
  readonly vpcId: string;
  /** The subnet of the machine that the program runs on: used if none is tagged. */
  readonly ownSubnetId: string;
  readonly clusterName: string;
  readonly config: GlobalConfig;
  readonly tags: ClusterTags;
  readonly zones: ZoneTypes;
  readonly pods: PodAddresses;
}

export interface PodAddresses {
  /** The ready endpoints of a port of a Service, by the port's name. Throws if they are not known yet. */
  endpointsOf(service: Service, portName: string): readonly PodEndpoint[];
}

export interface PodEndpoint {
  readonly address: string;
  readonly port: number;
}

interface ZoneTypes {
  /** The types of zones by their names; unknown ones are left out. */
  typesOf(zones: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
