import type { joinFlags } from "../plan/join-flags.ts";
import type { upFlags } from "../plan/up-flags.ts";

/** The effect of a field of a document. */
export type Field<Flag extends string = string> =
  /** The value of a flag. */
  | { readonly flag: Flag }
  /** The only argument of the command that is no flag. */
  | { readonly isArgument: true }
  /** Flags of a part: an object, or a list of {name, value}. */
  | { readonly argsOf: string }
  /** It has no meaning for k8ts. */
  | { readonly refused: string };

/** The fields of a document, by their path. Of a path that ends with `*`, the last name is any. */
export type Fields<Flag extends string = string> = Readonly<Record<string, Field<Flag>>>;

type UpFields = Fields<keyof typeof upFlags & string>;
type JoinFields = Fields<keyof typeof joinFlags & string>;

/** The fields of `k8ts.dev/v1 Cluster`. */
export const clusterFields: UpFields = {
  "metadata.name": { flag: "name" },
  nodes: { flag: "nodes" },
  kubeconfig: { flag: "kubeconfig" },
  disable: { flag: "disable" },
  noInstall: { flag: "no-install" },
  timeout: { flag: "timeout" },
  "apiServer.port": { flag: "secure-port" },
  "apiServer.certSANs": { flag: "tls-san" },
  "apiServer.virtualAddress": { flag: "virtual-address" },
  manifests: { flag: "manifests" },
  audit: { flag: "audit" },
  "secrets.encrypt": { flag: "encrypt-secrets" },
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
  "registries.mirrors": { flag: "registry-mirror" },
  "logging.verbosity": { flag: "v" },
  "logging.format": { flag: "logging-format" },
  "store.etcd": { flag: "etcd" },
  "store.binary": { flag: "etcd-binary" },
  "store.servers": { flag: "etcd-servers" },
  "store.caFile": { flag: "etcd-cafile" },
  "store.certFile": { flag: "etcd-certfile" },
  "store.keyFile": { flag: "etcd-keyfile" },
  "args.*": { argsOf: "" },
};

const ownEtcd = "k8ts configures its etcd itself: use `store.etcd: true` of k8ts.dev/v1 Cluster";
const noPhases = "k8ts has no phases and no addons of kubeadm";
const noImages = "the components are programs of k8ts, not images";
const ownFolder = "certificates are in the cluster's own folder";

/** The fields of kubeadm's ClusterConfiguration. */
export const kubeadmCluster: UpFields = {
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
  "etcd.local": { refused: ownEtcd },
  "etcd.external.endpoints": { flag: "etcd-servers" },
  "etcd.external.caFile": { flag: "etcd-cafile" },
  "etcd.external.certFile": { flag: "etcd-certfile" },
  "etcd.external.keyFile": { flag: "etcd-keyfile" },
  dns: { refused: noPhases },
  "apiServer.extraVolumes": { refused: noImages },
  "controllerManager.extraVolumes": { refused: noImages },
  "scheduler.extraVolumes": { refused: noImages },
};

/** The fields of a node, in both of kubeadm's configurations of one. */
const nodeRegistration = {
  "nodeRegistration.name": { flag: "node-name" },
  "nodeRegistration.criSocket": { flag: "container-runtime-endpoint" },
  "nodeRegistration.taints": { flag: "node-taints" },
  "nodeRegistration.kubeletExtraArgs": { argsOf: "kubelet" },
  "nodeRegistration.ignorePreflightErrors": { refused: noPhases },
  "nodeRegistration.imagePullPolicy": { refused: noImages },
} as const;

/** The fields of kubeadm's InitConfiguration. */
export const kubeadmInit: UpFields = {
  "localAPIEndpoint.advertiseAddress": { flag: "node-ip" },
  "localAPIEndpoint.bindPort": { flag: "secure-port" },
  ...nodeRegistration,
  bootstrapTokens: { refused: "create tokens with: k8ts token create" },
  certificateKey: { refused: ownFolder },
  skipPhases: { refused: noPhases },
  patches: { refused: noPhases },
};

const ownToken = "join with a token: `discovery.bootstrapToken`, as k8ts token create prints it";

/** The fields of kubeadm's JoinConfiguration. */
export const kubeadmJoin: JoinFields = {
  "discovery.bootstrapToken.apiServerEndpoint": { isArgument: true },
  "discovery.bootstrapToken.token": { flag: "token" },
  "discovery.bootstrapToken.caCertHashes": { flag: "ca-hash" },
  "discovery.bootstrapToken.unsafeSkipCAVerification": {
    refused: "the cluster's authority is always verified, by `caCertHashes`",
  },
  "discovery.file": { refused: ownToken },
  "discovery.tlsBootstrapToken": { refused: ownToken },
  "timeouts.discovery": { flag: "timeout" },
  "timeouts.tlsBootstrap": { refused: "one time limit is for the whole: `timeouts.discovery`" },
  "controlPlane.certificateKey": { flag: "certificate-key" },
  "controlPlane.localAPIEndpoint.advertiseAddress": { flag: "node-ip" },
  "controlPlane.localAPIEndpoint.bindPort": { refused: "all servers of a cluster have one port" },
  caCertPath: { refused: ownFolder },
  ...nodeRegistration,
  skipPhases: { refused: noPhases },
  patches: { refused: noPhases },
};
