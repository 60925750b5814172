import { listed } from "../base/address-families.ts";
import { hasOwnMember } from "../base/etcd-settings.ts";
import { apiAddresses } from "../base/service-addresses.ts";
import { type ClusterSettings, nodeIps } from "../base/settings.ts";
import type { CertificateSpec } from "./pki.ts";
import { adminGroup, cloudManager, kubeletClientGroup } from "./server-roles.ts";

/** The certificates of a server's components, with the subjects that kubeadm gives them. */
export function certificateSpecs(settings: ClusterSettings, hostname: string): CertificateSpec[] {
  const { nodeName } = settings;
  const client = (file: string, commonName: string, organization?: string): CertificateSpec => ({
    file,
    authority: "ca",
    subject: { commonName, organizations: organization ? [organization] : [] },
    usage: "client auth",
  });
  return [
    {
      file: "apiserver",
      authority: "ca",
      subject: { commonName: "kube-apiserver" },
      usage: "server auth",
      names: serverNames(settings, hostname),
    },
    client("apiserver-kubelet-client", "kube-apiserver-kubelet-client", kubeletClientGroup),
    { ...client("front-proxy-client", "front-proxy-client"), authority: "front-proxy-ca" },
    // It is embedded in the user's kubeconfig, which clients of all languages read.
    { ...client("admin", "kubernetes-admin", adminGroup), key: "rsa" },
    // For repairs of the roles themselves: it needs none.
    client("super-admin", "kubernetes-super-admin", "system:masters"),
    client("controller-manager", "system:kube-controller-manager"),
    client("scheduler", "system:kube-scheduler"),
    client("cloud-controller-manager", cloudManager),
    client("metrics-server", "system:metrics-server"),
    client("gateway", "system:k8ts-gateway"),
    {
      file: "metrics-server-serving",
      authority: "ca",
      subject: { commonName: "metrics-server.kube-system.svc" },
      usage: "server auth",
      names: ["metrics-server.kube-system.svc", "metrics-server.kube-system", settings.nodeIp],
    },
    {
      file: "registry-serving",
      authority: "ca",
      subject: { commonName: "k8ts-registry" },
      usage: "server auth",
      names: nodeIps(settings),
    },
    client("kubelet", `system:node:${nodeName}`, "system:nodes"),
    // The server's own node has names of the API server, which no node can request.
    {
      file: "kubelet-server",
      authority: "kubelet-ca",
      subject: { commonName: `system:node:${nodeName}`, organizations: ["system:nodes"] },
      usage: "server auth",
      names: [nodeName, ...nodeIps(settings)],
    },
    ...(hasOwnMember(settings) ? memberSpecs(settings, client) : []),
  ];
}

type ClientSpec = (file: string, commonName: string, organization?: string) => CertificateSpec;

/** The certificates of a member of etcd: its gateway is a client of itself, and members are clients of each other. */
function memberSpecs(settings: ClusterSettings, client: ClientSpec): CertificateSpec[] {
  const { nodeName } = settings;
  const member = (file: string): CertificateSpec => ({
    file: `etcd/${file}`,
    authority: "etcd/ca",
    subject: { commonName: nodeName },
    usage: "server auth",
    isClientToo: true,
    names: ["localhost", nodeName, "127.0.0.1", "::1", ...nodeIps(settings)],
  });
  const ofServer = client("apiserver-etcd-client", "kube-apiserver-etcd-client");
  return [member("server"), member("peer"), { ...ofServer, authority: "etcd/ca" }];
}

/** The names and addresses of a cluster's API server. */
function serverNames(settings: ClusterSettings, hostname: string): string[] {
  const { nodeName, serviceCidr, clusterDomain } = settings;
  const services = ["kubernetes", "kubernetes.default", "kubernetes.default.svc"];
  const virtual = settings.virtualAddress ? [settings.virtualAddress] : [];
  const own = ["localhost", hostname, nodeName, ...settings.serverNames, ...virtual];
  const addresses = ["127.0.0.1", "::1", ...nodeIps(settings), ...apiAddresses(serviceCidr)];
  const service = `kubernetes.default.svc.${clusterDomain}`;
  return [...new Set([...services, service, ...own, ...addresses])];
}

/** Names and addresses that no other node of a cluster may have. */
export function reservedNames(settings: ClusterSettings, hostname: string) {
  const { clusterDomain, serviceCidr, podCidr } = settings;
  return {
    names: serverNames(settings, hostname),
    networks: [...listed(serviceCidr), ...listed(podCidr)],
    domains: [clusterDomain],
  };
}

/** The kubeconfigs in the cluster's folder, each with its user's certificate. */
export const accessOfServer = [
  ["admin", "admin"],
  ["super-admin", "super-admin"],
  ["controller-manager", "controller-manager"],
  ["scheduler", "scheduler"],
  ["cloud-controller-manager", "cloud-controller-manager"],
  ["metrics-server", "metrics-server"],
  ["gateway", "gateway"],
] as const;

/** That of the server's own node, whose programs reach every server. */
export const accessOfNode = [["kubelet", "kubelet"]] as const;
