import { apiAddress } from "../base/service-addresses.ts";
import type { ClusterSettings } from "../base/settings.ts";
import type { CertificateSpec } from "./pki.ts";

/** The certificates of a server's components, with the subjects that kubeadm gives them. */
export function certificateSpecs(settings: ClusterSettings, hostname: string): CertificateSpec[] {
  const { nodeName, nodeIp, serviceCidr, clusterDomain, serverNames } = settings;
  const client = (file: string, commonName: string, organization?: string): CertificateSpec => ({
    file,
    authority: "ca",
    subject: { commonName, organizations: organization ? [organization] : [] },
    usage: "client auth",
  });
  const services = ["kubernetes", "kubernetes.default", "kubernetes.default.svc"];
  return [
    {
      file: "apiserver",
      authority: "ca",
      subject: { commonName: "kube-apiserver" },
      usage: "server auth",
      names: [
        ...new Set([
          ...services,
          `kubernetes.default.svc.${clusterDomain}`,
          "localhost",
          hostname,
          nodeName,
          ...serverNames,
          "127.0.0.1",
          "::1",
          nodeIp,
          apiAddress(serviceCidr),
        ]),
      ],
    },
    client("apiserver-kubelet-client", "kube-apiserver-kubelet-client", "system:masters"),
    { ...client("front-proxy-client", "front-proxy-client"), authority: "front-proxy-ca" },
    // It is embedded in the user's kubeconfig, which clients of all languages read.
    { ...client("admin", "kubernetes-admin", "system:masters"), key: "rsa" },
    client("controller-manager", "system:kube-controller-manager"),
    client("scheduler", "system:kube-scheduler"),
    client("kubelet", `system:node:${nodeName}`, "system:nodes"),
  ];
}

/** The kubeconfigs in the cluster's folder, each with its user's certificate. */
export const accessOfServer = [
  ["admin", "admin"],
  ["controller-manager", "controller-manager"],
  ["scheduler", "scheduler"],
  ["kubelet", "kubelet"],
] as const;
