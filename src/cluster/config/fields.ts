import type { upFlags } from "../plan/up-flags.ts";

/** The effect of a field of a document. */
export type Field =
  /** The value of a flag of `up`. */
  | { readonly flag: keyof typeof upFlags }
  /** Flags of a part: an object, or a list of {name, value}. */
  | { readonly argsOf: string }
  /** It has no meaning for k8ts. */
  | { readonly refused: string };

/** The fields of a document, by their path. Of a path that ends with `*`, the last name is any. */
export type Fields = Readonly<Record<string, Field>>;

/** The fields of `k8ts.dev/v1 Cluster`. */
export const clusterFields: Fields = {
  "metadata.name": { flag: "name" },
  nodes: { flag: "nodes" },
  kubeconfig: { flag: "kubeconfig" },
  disable: { flag: "disable" },
  noInstall: { flag: "no-install" },
  timeout: { flag: "timeout" },
  "apiServer.port": { flag: "secure-port" },
  "apiServer.certSANs": { flag: "tls-san" },
  "network.podCIDR": { flag: "pod-network-cidr" },
  "network.serviceCIDR": { flag: "service-cidr" },
  "network.dnsDomain": { flag: "service-dns-domain" },
  "network.loadBalancerPool": { flag: "lb-pool" },
  "network.announceLoadBalancers": { flag: "lb-announce" },
  "network.proxyMode": { flag: "proxy-mode" },
  "network.antiSpoofing": { flag: "anti-spoofing" },
  "node.name": { flag: "node-name" },
  "node.ip": { flag: "node-ip" },
  "node.labels": { flag: "node-labels" },
  "node.taints": { flag: "node-taints" },
  "runtime.name": { flag: "runtime" },
  "runtime.folder": { flag: "runtime-dir" },
  "runtime.endpoint": { flag: "container-runtime-endpoint" },
  "logging.verbosity": { flag: "v" },
  "logging.format": { flag: "logging-format" },
  "args.*": { argsOf: "" },
};

const noEtcd = "the store is embedded, so there is no etcd to configure";
const noPhases = "k8ts has no phases and no addons of kubeadm";
const noImages = "the components are programs of k8ts, not images";
const ownFolder = "certificates are in the cluster's own folder";

/** The fields of kubeadm's ClusterConfiguration. */
export const kubeadmCluster: Fields = {
  "networking.podSubnet": { flag: "pod-network-cidr" },
  "networking.serviceSubnet": { flag: "service-cidr" },
  "networking.dnsDomain": { flag: "service-dns-domain" },
  "apiServer.certSANs": { flag: "tls-san" },
  "apiServer.extraArgs": { argsOf: "kube-apiserver" },
  "controllerManager.extraArgs": { argsOf: "kube-controller-manager" },
  "scheduler.extraArgs": { argsOf: "kube-scheduler" },
  "proxy.disabled": { refused: "use --disable=kube-proxy" },
  controlPlaneEndpoint: { refused: "name the address in apiServer.certSANs" },
  certificatesDir: { refused: ownFolder },
  clusterName: { refused: "the name of a cluster is chosen with --name" },
  imageRepository: { refused: noImages },
  etcd: { refused: noEtcd },
  dns: { refused: noPhases },
  "apiServer.extraVolumes": { refused: noImages },
  "controllerManager.extraVolumes": { refused: noImages },
  "scheduler.extraVolumes": { refused: noImages },
};

/** The fields of kubeadm's InitConfiguration. */
export const kubeadmInit: Fields = {
  "localAPIEndpoint.advertiseAddress": { flag: "node-ip" },
  "localAPIEndpoint.bindPort": { flag: "secure-port" },
  "nodeRegistration.name": { flag: "node-name" },
  "nodeRegistration.criSocket": { flag: "container-runtime-endpoint" },
  "nodeRegistration.taints": { flag: "node-taints" },
  "nodeRegistration.kubeletExtraArgs": { argsOf: "kubelet" },
  "nodeRegistration.ignorePreflightErrors": { refused: noPhases },
  "nodeRegistration.imagePullPolicy": { refused: noImages },
  bootstrapTokens: { refused: "create tokens with: k8ts token create" },
  certificateKey: { refused: ownFolder },
  skipPhases: { refused: noPhases },
  patches: { refused: noPhases },
};
