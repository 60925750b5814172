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
import type { WriteTerm } from "./terms/write-in-term.ts";

/** Connections from the API server into the cluster: to kubelets, Pods and Services. */
export interface ClusterConnections {
  /** To kubelets. */
  readonly kubelet: Transport;
  /** To kubelets, without verification of their certificates. */
  readonly insecureKubelet: Transport;
  /** To Pods, Services and other ports of nodes: their certificates are not verified. */
  readonly backend: Transport;
  /** Address of a node's kubelet; throws 404 if there is no such node. */
  findKubelet(nodes: Store, name: string): Promise<KubeletAddress>;
}

/** Dependencies of every verb. */
export interface VerbServices {
  readonly clock: Clock;
  readonly admission: Admission;
  readonly authorizer: Authorizer;
  /** Whether a feature gate is on; the same function for every request. */
  readonly enabled: (feature: string) => boolean;
  /** Containers may be privileged (--allow-privileged, off by default). */
  readonly allowPrivileged?: boolean;
  /** Minimum duration of watches without timeoutSeconds (--min-request-timeout). */
  readonly leastWatchMs?: number;
  /** Concurrent deletions when a collection is deleted; default 1. */
  readonly deleteWorkers?: number;
  /** For TokenReviews and TokenRequests. */
  readonly tokens?: TokenServices;
  /** Connections into the cluster, for logs, streams and proxies. */
  readonly connections?: ClusterConnections;
  /** The time within which the writes of a request are to be done, as its header names it. */
  openTerm(header: string): WriteTerm;
  /** The objects of any resource. */
  store(resource: ResourceName): Store;
  /** A resource in one of its versions, for writes that a request causes to other resources. */
  resource(handle: Resource): VersionedResource;
}

/** A request about one version of one resource. */
export interface ResourceRequest {
  readonly exchange: Exchange;
  readonly target: VersionedResource;
  readonly services: VerbServices;
}
