import { balancer } from "./balancer.ts";
import { cloudControllerManager } from "./cloud-controller-manager.ts";
import { dns } from "./cluster-dns.ts";
import { gateway } from "./gateway.ts";
import { apiServer } from "./kube-apiserver.ts";
import { controllerManager } from "./kube-controller-manager.ts";
import { proxy } from "./kube-proxy.ts";
import { scheduler } from "./kube-scheduler.ts";
import { kubelet } from "./kubelet.ts";
import { localStorage } from "./local-storage.ts";
import { metricsServer } from "./metrics-server.ts";
import { network } from "./network.ts";
import { networkPolicy } from "./network-policy.ts";
import type { Part } from "./part.ts";
import { registry } from "./registry.ts";
import { virtualAddress } from "./virtual-address.ts";

/**
 * All parts of a cluster. Those of a program are started at the same time, and cleaned up one after the other in this order:
 * Pods before the network that they use.
 */
export const parts: readonly Part[] = [
  apiServer,
  controllerManager,
  scheduler,
  cloudControllerManager,
  metricsServer,
  gateway,
  virtualAddress,
  balancer,
  kubelet,
  localStorage,
  registry,
  proxy,
  dns,
  networkPolicy,
  network,
];
