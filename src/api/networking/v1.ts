import type { Resource } from "../base/resource.ts";
import type {
  Ingress,
  IngressClass,
  IPAddress,
  NetworkPolicy,
  ServiceCIDR,
} from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const ingressClasses: Resource<IngressClass> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "IngressClass",
  name: "ingressclasses",
  singular: "ingressclass",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const ingresses: Resource<Ingress> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "Ingress",
  name: "ingresses",
  singular: "ingress",
  namespaced: true,
  shortNames: ["ing"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "networking.k8s.io",
      version: "v1",
      kind: "Ingress",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const ipAddresses: Resource<IPAddress> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "IPAddress",
  name: "ipaddresses",
  singular: "ipaddress",
  namespaced: false,
  shortNames: ["ip"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const networkPolicies: Resource<NetworkPolicy> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "NetworkPolicy",
  name: "networkpolicies",
  singular: "networkpolicy",
  namespaced: true,
  shortNames: ["netpol"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const serviceCIDRs: Resource<ServiceCIDR> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "ServiceCIDR",
  name: "servicecidrs",
  singular: "servicecidr",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "networking.k8s.io",
      version: "v1",
      kind: "ServiceCIDR",
      verbs: ["get", "patch", "update"],
    },
  ],
};
