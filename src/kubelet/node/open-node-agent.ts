import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import type { Client } from "#/client/client.ts";
import { parseDuration } from "#/std/go/duration.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import type { ImageService } from "../cri/runtime-service.ts";
import type { NodeRecord } from "../state/node-record.ts";
import type { Pressure } from "../state/pressure.ts";
import type { StoredValue } from "../state/stored-value.ts";
import type { VolumesInUse } from "../state/volumes-in-use.ts";
import type { MachineFacts } from "./machine-facts.ts";
import { NodeAgent } from "./node-agent.ts";
import type { CapacitySettings } from "./node-capacity.ts";
import type { NodeEvents } from "./node-events.ts";
import { NodeState } from "./node-state.ts";
import type { RuntimeCheck } from "./runtime-check.ts";

interface OpenNodeAgentOptions {
  readonly config: KubeletConfiguration;
  readonly client: Client;
  readonly clock: Clock;
  readonly facts: MachineFacts;
  readonly capacity: CapacitySettings;
  readonly rootDirectory: string;
  readonly externalCloudProvider: boolean;
  readonly isIpGiven: boolean;
  readonly images: Pick<ImageService, "ListImages">;
  readonly node: NodeRecord;
  readonly events: Pick<NodeEvents, "record">;
  readonly runtime: RuntimeCheck;
  readonly inUse: VolumesInUse;
  readonly pressure: Pick<StoredValue<Pressure>, "value">;
  /** Reasons why the node isn't ready besides those of the runtime. */
  problems(): readonly string[];
}

/** Features that only some nodes have; the scheduler and the API server read them. */
const declaredFeatures = [
  "ExtendWebSocketsToKubelet",
  "InPlacePodLevelResourcesVerticalScaling",
  "InPlacePodVerticalScalingInitContainers",
  "RestartAllContainersOnContainerExits",
];

/** The part that registers the node and reports its status. */
export function openNodeAgent(options: OpenNodeAgentOptions): NodeAgent {
  const { config, client, clock, node, events, inUse, ...rest } = options;
  return new NodeAgent({
    client,
    clock,
    node,
    events,
    inUse,
    register: config.registerNode,
    updateMs: parseDuration(config.nodeStatusUpdateFrequency),
    reportMs: parseDuration(config.nodeStatusReportFrequency),
    state: new NodeState({
      ...rest,
      clock,
      inUse,
      ips: node.hostIPs(),
      hostname: node.name,
      kubeletVersion: kubernetesVersion,
      kubeletPort: config.port,
      maxImages: config.nodeStatusMaxImages,
      declaredFeatures,
    }),
  });
}
