import type { Node, Service } from "#/api/core/v1.ts";
import type { Ec2Instance } from "../../client/ec2-operations.ts";
import { type Annotations, lbAnnotations, readPairs } from "./annotations.ts";
import type { LbEnvironment } from "./environment.ts";

/** A Service, and what its load balancer is named and sends traffic to. */
export interface ServiceGoal {
  readonly service: Service;
  readonly annotations: Annotations;
  /** The name of the load balancer. */
  readonly name: string;
  readonly nodes: readonly Node[];
  /** The instances of the nodes, by their ids. */
  readonly instances: ReadonlyMap<string, Ec2Instance>;
}

/** Upstream: staging/src/k8s.io/cloud-provider/cloud.go DefaultLoadBalancerName. */
export function loadBalancerName({ metadata }: Service): string {
  return `a${(metadata?.uid ?? "").replaceAll("-", "")}`.slice(0, maxNameLength);
}

/** Limit of AWS for names of load balancers. */
const maxNameLength = 32;

/** "shop/web". */
export function serviceKey({ metadata }: Service): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}

/** The tags of a load balancer and its parts. */
export function lbTags({ service, annotations }: ServiceGoal, environment: LbEnvironment) {
  const tags = {
    ...readPairs(annotations, lbAnnotations.tags),
    "kubernetes.io/service-name": serviceKey(service),
  };
  return Object.entries(environment.tags.build("owned", tags)).map(([key, value]) => ({
    Key: key,
    Value: value,
  }));
}
