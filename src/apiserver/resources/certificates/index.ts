import type { Declaration } from "../../registry/strategy.ts";
import { certificateSigningRequest } from "./certificate-signing-request.ts";
import { clusterTrustBundle } from "./cluster-trust-bundle.ts";
import { podCertificateRequest } from "./pod-certificate-request.ts";

/** The resources of certificates.k8s.io. */
export const certificatesResources: readonly Declaration[] = [
  certificateSigningRequest,
  clusterTrustBundle,
  podCertificateRequest,
];
