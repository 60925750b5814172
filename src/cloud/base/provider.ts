/** Upstream: staging/src/k8s.io/cloud-provider/cloud.go. */
import type { LoadBalancerStatus, Node, NodeAddress, Service } from "#/api/core/v1.ts";
import type { Controller } from "#/controller/controller.ts";
import type { CloudAction } from "./action.ts";

/** What a cloud can do for a cluster. A capability that it lacks is undefined: its controllers do not run. */
export interface CloudProvider {
  /** "aws", "local": the value of --cloud-provider. */
  readonly name: string;
  /** Whether the cluster's resources in the cloud can be distinguished from those of others. */
  readonly hasClusterId: boolean;
  readonly instances?: Instances;
  readonly loadBalancers?: LoadBalancers;
  readonly routes?: Routes;
  /** Controllers of its own, which run beside the others if --controllers selects them. */
  readonly controllers?: readonly Controller[];
}

/** The machines behind Nodes. */
export interface Instances {
  /** False if the machine was deleted. Rejects if the cloud can't say. */
  exists(node: Node, signal: AbortSignal): Promise<boolean>;
  isShutDown(node: Node, signal: AbortSignal): Promise<boolean>;
  /** Rejects with InstanceNotFoundError if there is no such machine. */
  metadata(node: Node, signal: AbortSignal): Promise<InstanceMetadata>;
}

export interface InstanceMetadata {
  /** "aws:///eu-central-1a/i-0123"; empty if the Node's own value stays. */
  readonly providerId: string;
  readonly instanceType: string;
  readonly addresses: readonly NodeAddress[];
  readonly zone: string;
  readonly region: string;
  readonly additionalLabels: Readonly<Record<string, string>>;
}

/** The state that a load balancer of a Service must reach. */
export interface LoadBalancerGoal {
  readonly clusterName: string;
  readonly service: Service;
  /** The nodes that get traffic. */
  readonly nodes: readonly Node[];
}

/**
 * Load balancers of Services. Each call observes the cloud, plans (a pure function of goal and observed state), and
 * applies the actions. All are idempotent: a call that was interrupted at any point is completed by the next one.
 */
export interface LoadBalancers {
  /** The spec.loadBalancerClass that it handles besides none. */
  readonly loadBalancerClass?: string;
  /** Undefined if no load balancer sends traffic to Pods. */
  readonly endpoints?: EndpointTargets;
  name(goal: LoadBalancerGoal): string;
  /** Undefined if there is none. */
  find(goal: LoadBalancerGoal, signal: AbortSignal): Promise<LoadBalancerStatus | undefined>;
  ensure(goal: LoadBalancerGoal, signal: AbortSignal): Promise<LoadBalancerStatus>;
  /** Changes only the nodes of an existing load balancer. */
  updateNodes(goal: LoadBalancerGoal, signal: AbortSignal): Promise<void>;
  remove(goal: LoadBalancerGoal, signal: AbortSignal): Promise<void>;
  /** The actions that ensure() or remove() would apply now, for --plan-only. */
  plan(
    goal: LoadBalancerGoal,
    verb: "ensure" | "remove",
    signal: AbortSignal,
  ): Promise<readonly CloudAction[]>;
}

/** Load balancers that send traffic to Pods instead of nodes. */
export interface EndpointTargets {
  /** Whether the targets of the Service's load balancer are its endpoints: those in EndpointSlices, which are synced. */
  follows(service: Service): boolean;
  /** Changes only the endpoints of an existing load balancer. */
  update(goal: LoadBalancerGoal, signal: AbortSignal): Promise<void>;
}

/** Routes to the Pod networks of nodes. */
export interface Routes {
  list(clusterName: string, signal: AbortSignal): Promise<readonly Route[]>;
  create(clusterName: string, nameHint: string, route: Route, signal: AbortSignal): Promise<void>;
  remove(clusterName: string, route: Route, signal: AbortSignal): Promise<void>;
  plan(
    clusterName: string,
    change: { readonly create: readonly Route[]; readonly remove: readonly Route[] },
    signal: AbortSignal,
  ): Promise<readonly CloudAction[]>;
}

export interface Route {
  /** Name in the cloud; empty before it is created. */
  readonly name: string;
  readonly targetNode: string;
  readonly targetNodeAddresses?: readonly NodeAddress[];
  readonly destinationCidr: string;
  /** True if the target is gone: packets are dropped. */
  readonly isBlackhole: boolean;
}

/** The machine of a Node is not in the cloud. */
export class InstanceNotFoundError extends Error {
  override readonly name = "InstanceNotFoundError";
  constructor() {
    super("instance not found");
  }
}

/** The provider does not handle this Service or call; the controller leaves it alone. Upstream: ImplementedElsewhere. */
export class ImplementedElsewhereError extends Error {
  override readonly name = "ImplementedElsewhereError";
  constructor() {
    super("implemented by alternate to cloud provider");
  }
}

/** An error after which the controller must wait before it retries. Upstream: staging/src/k8s.io/cloud-provider/api/retry_error.go. */
export class RetryAfterError extends Error {
  override readonly name = "RetryAfterError";
  readonly afterMs: number;
  constructor(message: string, afterMs: number) {
    super(message);
    this.afterMs = afterMs;
  }
}
