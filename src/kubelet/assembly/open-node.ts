import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import { nodes } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { parseDuration } from "#/std/go/duration.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { KubeletFlags } from "../config/flags.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import { initialNode } from "../node/initial-node.ts";
import { NodeAgent } from "../node/node-agent.ts";
import type { Pressure } from "../node/node-conditions.ts";
import { NodeState } from "../node/node-state.ts";
import type { Machine } from "./open-machine.ts";

export interface NodeParts {
  readonly flags: KubeletFlags;
  readonly config: KubeletConfiguration;
  readonly machine: Machine;
  readonly client: Client;
  readonly informers: Informers;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  volumesInUse(): readonly string[];
  pressure(): Pressure;
  /** Reasons why the node isn't ready besides those of the runtime. */
  problems(): readonly string[];
}

export interface OpenedNode {
  readonly node: NodeAgent;
  readonly state: NodeState;
}

/** What pods may ask of this node that not every node can do; the scheduler and the API server look at it. */
const declaredFeatures = [
  "ExtendWebSocketsToKubelet",
  "InPlacePodLevelResourcesVerticalScaling",
  "InPlacePodVerticalScalingInitContainers",
  "RestartAllContainersOnContainerExits",
];

/** Puts together what registers the node and reports on it. */
export function openNode(parts: NodeParts): OpenedNode {
  const { flags, config, machine, client, clock, recorder, informers } = parts;
  const { nodeName, facts, ips } = machine;
  const externalCloudProvider = flags["cloud-provider"] === "external";
  const state = new NodeState({
    cri: machine.cri,
    clock,
    facts,
    capacity: machine.capacity,
    rootDirectory: machine.directories.root,
    ips,
    hostname: nodeName,
    externalCloudProvider,
    kubeletVersion: kubernetesVersion,
    kubeletPort: config.port,
    maxImages: config.nodeStatusMaxImages,
    declaredFeatures,
    volumesInUse: parts.volumesInUse,
    pressure: parts.pressure,
    problems: parts.problems,
  });
  const node = new NodeAgent({
    client,
    clock,
    recorder,
    informer: informers.informer(nodes, { fieldSelector: `metadata.name=${nodeName}` }),
    initial: initialNode({
      name: nodeName,
      hostname: nodeName,
      architecture: facts.architecture,
      labels: flags["node-labels"],
      taints: config.registerWithTaints ?? [],
      providerID: config.providerID ?? "",
      externalCloudProvider,
      enableControllerAttachDetach: config.enableControllerAttachDetach,
    }),
    register: config.registerNode,
    updateMs: parseDuration(config.nodeStatusUpdateFrequency),
    reportMs: parseDuration(config.nodeStatusReportFrequency),
    ips,
    current: () => state.current(),
  });
  return { node, state };
}
