import type { Resource } from "../base/resource.ts";
import type {
  CertificateSigningRequest,
  ClusterTrustBundle,
  PodCertificateRequest,
} from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const certificateSigningRequests: Resource<CertificateSigningRequest> = {
  group: "certificates.k8s.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  name: "certificatesigningrequests",
  singular: "certificatesigningrequest",
  namespaced: false,
  shortNames: ["csr"],
  categories: [],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "approval",
      group: "certificates.k8s.io",
      version: "v1",
      kind: "CertificateSigningRequest",
      verbs: ["get", "patch", "update"],
    },
    {
      name: "status",
      group: "certificates.k8s.io",
      version: "v1",
      kind: "CertificateSigningRequest",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const clusterTrustBundles: Resource<ClusterTrustBundle> = {
  group: "certificates.k8s.io",
  version: "v1",
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
  version: "v1",
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
      version: "v1",
      kind: "PodCertificateRequest",
      verbs: ["get", "patch", "update"],
    },
  ],
};
