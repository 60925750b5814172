import type { Declaration } from "../../registry/strategy.ts";
import { type ComponentProbe, defaultComponentProbes } from "./component-probe.ts";
import { componentStatusResource } from "./component-status.ts";
import { configMap } from "./config-map.ts";
import { endpoints } from "./endpoints.ts";
import { eventResource } from "./event.ts";
import { limitRange } from "./limit-range.ts";
import { namespace } from "./namespace.ts";
import { node } from "./node/node.ts";
import { persistentVolume } from "./persistent-volume/persistent-volume.ts";
import { persistentVolumeClaim } from "./persistent-volume-claim/persistent-volume-claim.ts";
import { binding } from "./pod/binding.ts";
import { pod } from "./pod/pod.ts";
import { podTemplate } from "./pod-template.ts";
import { replicationController } from "./replication-controller.ts";
import { resourceQuota } from "./resource-quota.ts";
import { secret } from "./secret.ts";
import { NodePorts } from "./service/allocators/node-ports.ts";
import type { PortRange } from "./service/allocators/port-set.ts";
import { ServiceAddresses } from "./service/allocators/service-addresses.ts";
import type { ClusterFamilies } from "./service/ip-families.ts";
import { serviceResource } from "./service/service.ts";
import { serviceAccount } from "./service-account.ts";

/** Options of the core group that flags set. */
export interface CoreOptions {
  /** Families of --service-cluster-ip-range, the default one first. */
  readonly serviceFamilies: ClusterFamilies;
  /** --service-node-port-range. */
  readonly nodePortRange: PortRange;
  /** --event-ttl. */
  readonly eventTimeToLiveSeconds: number;
  readonly componentProbes: readonly ComponentProbe[];
  /** Whether the store is one that upstream's server may use as well. */
  readonly sharesStore: boolean;
}

/** Upstream's defaults of the flags. */
export const defaultCoreOptions: CoreOptions = {
  serviceFamilies: ["IPv4"],
  nodePortRange: { first: 30000, last: 32767 },
  eventTimeToLiveSeconds: 3600,
  componentProbes: defaultComponentProbes,
  sharesStore: false,
};

/** The resources of the core group. */
export function coreResources(options: CoreOptions): readonly Declaration[] {
  const { serviceFamilies, nodePortRange, eventTimeToLiveSeconds, componentProbes } = options;
  return [
    binding,
    componentStatusResource(componentProbes),
    configMap,
    endpoints,
    eventResource(eventTimeToLiveSeconds),
    limitRange,
    namespace,
    node,
    persistentVolumeClaim,
    persistentVolume,
    pod,
    podTemplate,
    replicationController,
    resourceQuota,
    secret,
    serviceAccount,
    serviceResource({
      families: serviceFamilies,
      addresses: new ServiceAddresses(),
      nodePorts: new NodePorts(nodePortRange),
    }),
  ];
}
