import type { Declaration } from "../../registry/strategy.ts";
import { ingress } from "./ingress.ts";
import { ingressClass } from "./ingress-class.ts";
import { ipAddress } from "./ip-address.ts";
import { networkPolicy } from "./network-policy.ts";
import { serviceCIDR } from "./service-cidr.ts";

/** The resources of networking.k8s.io. */
export const networkingResources: readonly Declaration[] = [
  ingressClass,
  ingress,
  ipAddress,
  networkPolicy,
  serviceCIDR,
];
