import type { Resource } from "../base/resource.ts";
import type { ClusterTrustBundle, PodCertificateRequest } from "./v1beta1-definitions.ts";

export type * from "./v1beta1-definitions.ts";

export const clusterTrustBundles: Resource<ClusterTrustBundle> = {
  group: "certificates.k8s.io",
  version: "v1beta1",
  kind: "ClusterTrustBundle",
  name: "clustertrustbundles",
  singular: "clustertrustbundle",
  namespaced: false,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const podCertificateRequests: Resource<PodCertificateRequest> = {
  group: "certificates.k8s.io",
  version: "v1beta1",
  kind: "PodCertificateRequest",
  name: "podcertificaterequests",
  singular: "podcertificaterequest",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "certificates.k8s.io",
      version: "v1beta1",
      kind: "PodCertificateRequest",
      verbs: ["get", "patch", "update"],
    },
  ],
};
