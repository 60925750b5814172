import type { Resource } from "#/api/base/resource.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Authorizer } from "../model/authorizer.ts";
import type { Exchange } from "../model/exchange.ts";
import type { ResourceName } from "../model/resource-name.ts";
import type { TokenServices } from "../model/token-services.ts";
import type { KubeletAddress } from "../outgoing/kubelet-address.ts";
import type { Transport } from "../outgoing/transport.ts";
import type { Admission } from "./admission.ts";
import type { VersionedResource } from "./served-resource.ts";
import type { Store } from "./store.ts";

/** The ways from the API server into the cluster: to kubelets, and to pods and services. */
export interface ClusterConnections {
  /** To kubelets. */
  readonly kubelet: Transport;
  /** To kubelets, whatever certificate they show. */
  readonly insecureKubelet: Transport;
  /** To pods, services and other ports of nodes: their certificates are not verified. */
  readonly backend: Transport;
  /** Where a node's kubelet is to be reached; not found if there is no such node. */
  findKubelet(nodes: Store, name: string): Promise<KubeletAddress>;
}

/** What every verb may use. */
export interface VerbServices {
  readonly clock: Clock;
  readonly admission: Admission;
  readonly authorizer: Authorizer;
  /** Whether a feature gate is on; the same function for every request. */
  readonly enabled: (feature: string) => boolean;
  /** Containers may be privileged (--allow-privileged, off by default). */
  readonly allowPrivileged?: boolean;
  /** The least time that watches are given which don't say how long they take (--min-request-timeout). */
  readonly leastWatchMs?: number;
  /** Deletions at a time when a collection is deleted; default 1. */
  readonly deleteWorkers?: number;
  /** For reviews of tokens and requests for them. */
  readonly tokens?: TokenServices;
  /** The ways into the cluster, for logs, streams and proxies. */
  readonly connections?: ClusterConnections;
  /** The objects of any resource. */
  store(resource: ResourceName): Store;
  /** A resource in one of its versions, for writes that follow from another one. */
  resource(handle: Resource): VersionedResource;
}

/** A request about one version of one resource. */
export interface ResourceRequest {
  readonly exchange: Exchange;
  readonly target: VersionedResource;
  readonly services: VerbServices;
}
