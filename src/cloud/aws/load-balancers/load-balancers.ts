/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go. */
import type { LoadBalancerStatus, Node, Service } from "#/api/core/v1.ts";
import type { CloudAction } from "#/cloud/base/action.ts";
import {
  type EndpointTargets,
  ImplementedElsewhereError,
  type LoadBalancerGoal,
  type LoadBalancers,
} from "#/cloud/base/provider.ts";
import type { AwsCloud } from "../base/aws-cloud.ts";
import { annotationsOf, isElsewhere, isNetwork, lbAnnotations } from "./base/annotations.ts";
import type { LbEnvironment, PodAddresses } from "./base/environment.ts";
import { findInstances, selectNodes } from "./base/find-instances.ts";
import { loadBalancerName, type ServiceGoal, serviceKey } from "./base/goal.ts";
import { Session } from "./base/session.ts";
import { sourceRanges } from "./base/source-ranges.ts";
import { validateService } from "./base/validate-service.ts";
import { classicListeners } from "./classic/classic-listeners.ts";
import {
  classicStatus,
  ensureClassic,
  findClassic,
  updateClassicNodes,
} from "./classic/ensure-classic.ts";
import { hasClassicLeftovers, removeClassic } from "./classic/remove-classic.ts";
import {
  ensureNetwork,
  findNetwork,
  networkStatus,
  updateTargets,
} from "./network/ensure-network.ts";
import { networkPorts } from "./network/network-ports.ts";
import { hasNetworkLeftovers, removeNetwork } from "./network/remove-network.ts";

/** The load balancers of a cluster in AWS: classic ones, and network ones by annotation. */
export function createLoadBalancers(cloud: AwsCloud, pods: PodAddresses): LoadBalancers {
  return new AwsLoadBalancers(cloud, pods);
}

class AwsLoadBalancers implements LoadBalancers {
  readonly #cloud: AwsCloud;
  readonly #pods: PodAddresses;
  readonly endpoints: EndpointTargets = {
    follows(service) {
      const annotations = annotationsOf(service);
      if (isElsewhere(annotations) || !isNetwork(annotations)) return false;
      return annotations[lbAnnotations.targetType] === "ip";
    },
    update: (goal, signal) => this.#updateEndpoints(goal, signal),
  };

  constructor(cloud: AwsCloud, pods: PodAddresses) {
    this.#cloud = cloud;
    this.#pods = pods;
  }

  name({ service }: LoadBalancerGoal): string {
    return loadBalancerName(service);
  }

  async find(
    { service, clusterName }: LoadBalancerGoal,
    signal: AbortSignal,
  ): Promise<LoadBalancerStatus | undefined> {
    const annotations = annotationsOf(service);
    if (isElsewhere(annotations)) return undefined;
    const session = this.#session(service, signal);
    const name = loadBalancerName(service);
    if (isNetwork(annotations)) {
      const found = await findNetwork(session, name);
      if (found) return networkStatus(found);
    } else {
      const found = await findClassic(session, name);
      if (found) return classicStatus(found);
    }
    return (await this.#hasLeftovers(session, clusterName, service)) ? {} : undefined;
  }

  async ensure(goal: LoadBalancerGoal, signal: AbortSignal): Promise<LoadBalancerStatus> {
    return await this.#ensure(goal, this.#session(goal.service, signal), signal);
  }

  async updateNodes(goal: LoadBalancerGoal, signal: AbortSignal): Promise<void> {
    const { service, nodes, clusterName } = goal;
    if (isElsewhere(annotationsOf(service))) throw new ImplementedElsewhereError();
    const session = this.#session(service, signal);
    if (isNetwork(annotationsOf(service))) {
      // Nodes of network load balancers are targets of every port: all of it is compared.
      await this.#ensure(goal, session, signal);
      return;
    }
    const serviceGoal = await this.#goalOf(service, nodes, signal);
    await updateClassicNodes(session, this.#environment(clusterName, signal), serviceGoal);
  }

  async #updateEndpoints(goal: LoadBalancerGoal, signal: AbortSignal): Promise<void> {
    const { service, clusterName } = goal;
    const session = this.#session(service, signal);
    const environment = this.#environment(clusterName, signal);
    const ports = networkPorts(service, environment.config);
    const isDone = await updateTargets(session, environment, goalWithoutNodes(service), ports);
    if (!isDone) await this.#ensure(goal, session, signal);
  }

  async remove({ service, clusterName }: LoadBalancerGoal, signal: AbortSignal): Promise<void> {
    await this.#remove(service, clusterName, this.#session(service, signal), signal);
  }

  async plan(
    goal: LoadBalancerGoal,
    verb: "ensure" | "remove",
    signal: AbortSignal,
  ): Promise<readonly CloudAction[]> {
    const session = this.#session(goal.service, signal, true);
    if (verb === "ensure") await this.#ensure(goal, session, signal);
    else await this.#remove(goal.service, goal.clusterName, session, signal);
    return session.actions;
  }

  async #ensure(
    { service, nodes, clusterName }: LoadBalancerGoal,
    session: Session,
    signal: AbortSignal,
  ): Promise<LoadBalancerStatus> {
    const annotations = annotationsOf(service);
    if (isElsewhere(annotations)) throw new ImplementedElsewhereError();
    validateService(service);
    sourceRanges(service);
    const environment = this.#environment(clusterName, signal);
    const isNlb = isNetwork(annotations);
    const ports = isNlb ? networkPorts(service, environment.config) : [];
    const listeners = isNlb ? [] : classicListeners(service);
    if (service.spec?.loadBalancerIP) {
      throw new Error("LoadBalancerIP cannot be specified for AWS ELB");
    }
    const goal = await this.#goalOf(service, nodes, signal);
    return isNlb
      ? await ensureNetwork(session, environment, goal, ports)
      : await ensureClassic(session, environment, goal, listeners);
  }

  async #remove(
    service: Service,
    clusterName: string,
    session: Session,
    signal: AbortSignal,
  ): Promise<void> {
    const annotations = annotationsOf(service);
    if (isElsewhere(annotations)) return;
    const goal = goalWithoutNodes(service);
    const environment = this.#environment(clusterName, signal);
    if (isNetwork(annotations)) await removeNetwork(session, environment, goal);
    else await removeClassic(session, environment, goal);
  }

  /** A Service that is removed may have parts of a load balancer that is gone, if a program was interrupted. */
  async #hasLeftovers(session: Session, clusterName: string, service: Service): Promise<boolean> {
    const { metadata, spec } = service;
    const isRemoved = metadata?.deletionTimestamp !== undefined || spec?.type !== "LoadBalancer";
    if (!isRemoved) return false;
    const environment = this.#environment(clusterName, session.signal);
    const goal = goalWithoutNodes(service);
    return isNetwork(goal.annotations)
      ? await hasNetworkLeftovers(session, environment, goal)
      : await hasClassicLeftovers(session, environment, goal);
  }

  async #goalOf(
    service: Service,
    nodes: readonly Node[],
    signal: AbortSignal,
  ): Promise<ServiceGoal> {
    const selected = selectNodes(nodes, annotationsOf(service));
    const instances = await findInstances(this.#cloud, selected, signal);
    return { ...goalWithoutNodes(service), nodes, instances };
  }

  #environment(clusterName: string, signal: AbortSignal): LbEnvironment {
    const { vpcId, self, config, tags, zones } = this.#cloud;
    const typesOf = async (names: readonly string[]) => {
      const found = await zones.find(names, signal);
      return new Map([...found].map(([name, { type }]) => [name, type]));
    };
    const pods = this.#pods;
    return {
      vpcId,
      ownSubnetId: self.subnetId,
      clusterName,
      config,
      tags,
      zones: { typesOf },
      pods,
    };
  }

  #session(service: Service, signal: AbortSignal, isDryRun = false): Session {
    const { client, clock } = this.#cloud;
    const of = `load balancer ${loadBalancerName(service)} of Service ${serviceKey(service)}`;
    return new Session({ client, clock, signal, of, isDryRun });
  }
}

function goalWithoutNodes(service: Service): ServiceGoal {
  return {
    service,
    annotations: annotationsOf(service),
    name: loadBalancerName(service),
    nodes: [],
    instances: new Map(),
  };
}
