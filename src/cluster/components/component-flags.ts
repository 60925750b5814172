import { join } from "node:path";
import { accessFile, type ClusterPaths } from "../base/paths.ts";
import { dnsAddress } from "../base/service-addresses.ts";
import { type ClusterSettings, serverPort } from "../base/settings.ts";

/**
 * The flags of each component of a cluster: all that the all-in-one does, a cluster started by hand can do with these. They
 * are upstream's own, but for where the store is and what upstream has no component for (DNS, pod network).
 */
export interface ComponentFlags {
  readonly "kube-apiserver": readonly string[];
  readonly "kube-controller-manager": readonly string[];
  readonly "kube-scheduler": readonly string[];
  readonly kubelet: readonly string[];
  readonly "kube-proxy": readonly string[];
  readonly "cluster-dns": readonly string[];
  /** Of what keeps the service of the cluster's DNS in the API. */
  readonly "dns-publisher": readonly string[];
  readonly network: readonly string[];
}

type Flags = Readonly<Record<string, string | number | boolean>>;

const asArgs = (flags: Flags): string[] =>
  Object.entries(flags).map(([name, value]) => `--${name}=${value}`);

/** The kubelet's configuration file, as it is given to it. */
export const kubeletConfigFile = (paths: ClusterPaths): string =>
  join(paths.config, "kubelet.json");

/** The folder of a user's own settings for the kubelet: files that end with .conf, read after its configuration. */
export const kubeletDropIns = (paths: ClusterPaths): string => join(paths.config, "kubelet.d");

/** The flags of all components; the resolv.conf is the one that names servers which the node itself reaches. */
export function componentFlags(
  paths: ClusterPaths,
  settings: ClusterSettings,
  resolvConf = "/etc/resolv.conf",
): ComponentFlags {
  const common = { v: settings.verbosity, "logging-format": settings.logFormat };
  return {
    "kube-apiserver": asArgs({ ...apiServerFlags(paths, settings), ...common }),
    "kube-controller-manager": asArgs({ ...controllerFlags(paths, settings), ...common }),
    "kube-scheduler": asArgs({
      ...accessFlags(paths, "scheduler"),
      "leader-elect": false,
      ...common,
    }),
    kubelet: asArgs({ ...kubeletFlags(paths, settings), ...common }),
    "kube-proxy": asArgs({ ...proxyFlags(paths, settings), ...common }),
    "cluster-dns": asArgs({
      ...dnsFlags(paths, settings),
      "resolv-conf": resolvConf,
      ...common,
    }),
    "dns-publisher": asArgs({
      kubeconfig: accessFile(paths, "admin"),
      "cluster-ip": dnsAddress(settings.serviceCidr),
    }),
    network: asArgs({ ...networkFlags(paths, settings), ...common }),
  };
}

function apiServerFlags(paths: ClusterPaths, settings: ClusterSettings): Flags {
  const pki = (file: string): string => join(paths.pki, file);
  return {
    "data-dir": paths.store,
    "secure-port": serverPort(settings.server),
    "advertise-address": settings.nodeIp,
    "allow-privileged": true,
    "authorization-mode": "Node,RBAC",
    "enable-admission-plugins": "NodeRestriction",
    "enable-bootstrap-token-auth": true,
    "enable-aggregator-routing": true,
    "service-cluster-ip-range": settings.serviceCidr,
    "client-ca-file": pki("ca.crt"),
    "tls-cert-file": pki("apiserver.crt"),
    "tls-private-key-file": pki("apiserver.key"),
    "kubelet-certificate-authority": pki("ca.crt"),
    "kubelet-client-certificate": pki("apiserver-kubelet-client.crt"),
    "kubelet-client-key": pki("apiserver-kubelet-client.key"),
    "kubelet-preferred-address-types": "InternalIP,ExternalIP,Hostname",
    "service-account-issuer": `https://kubernetes.default.svc.${settings.clusterDomain}`,
    "service-account-key-file": pki("sa.pub"),
    "service-account-signing-key-file": pki("sa.key"),
    "requestheader-client-ca-file": pki("front-proxy-ca.crt"),
    "requestheader-allowed-names": "front-proxy-client",
    "requestheader-extra-headers-prefix": "X-Remote-Extra-",
    "requestheader-group-headers": "X-Remote-Group",
    "requestheader-username-headers": "X-Remote-User",
    "proxy-client-cert-file": pki("front-proxy-client.crt"),
    "proxy-client-key-file": pki("front-proxy-client.key"),
  };
}

function accessFlags(paths: ClusterPaths, who: string): Flags {
  const file = accessFile(paths, who);
  return {
    kubeconfig: file,
    "authentication-kubeconfig": file,
    "authorization-kubeconfig": file,
    "bind-address": "127.0.0.1",
  };
}

function controllerFlags(paths: ClusterPaths, settings: ClusterSettings): Flags {
  const pki = (file: string): string => join(paths.pki, file);
  return {
    ...accessFlags(paths, "controller-manager"),
    // There is one server; a second one would need etcd and leader election.
    "leader-elect": false,
    controllers: "*,bootstrap-signer-controller,token-cleaner-controller",
    "use-service-account-credentials": true,
    "service-account-private-key-file": pki("sa.key"),
    "root-ca-file": pki("ca.crt"),
    "cluster-signing-cert-file": pki("ca.crt"),
    "cluster-signing-key-file": pki("ca.key"),
    "client-ca-file": pki("ca.crt"),
    "requestheader-client-ca-file": pki("front-proxy-ca.crt"),
    "allocate-node-cidrs": true,
    "cluster-cidr": settings.podCidr,
    "service-cluster-ip-range": settings.serviceCidr,
  };
}

function kubeletFlags(paths: ClusterPaths, settings: ClusterSettings): Flags {
  return {
    config: kubeletConfigFile(paths),
    "config-dir": kubeletDropIns(paths),
    kubeconfig: accessFile(paths, "kubelet"),
    "bootstrap-kubeconfig": accessFile(paths, "bootstrap-kubelet"),
    "cert-dir": join(paths.kubelet, "pki"),
    "root-dir": paths.kubelet,
    "hostname-override": settings.nodeName,
    "node-ip": settings.nodeIp,
  };
}

function proxyFlags(paths: ClusterPaths, settings: ClusterSettings): Flags {
  return {
    kubeconfig: accessFile(paths, "kubelet"),
    "hostname-override": settings.nodeName,
    "proxy-mode": settings.proxyMode,
    "cluster-cidr": settings.podCidr,
    // The machine may be somebody's own: its connection tracking is left as it is.
    "conntrack-max-per-core": 0,
    "conntrack-tcp-timeout-established": "0s",
    "conntrack-tcp-timeout-close-wait": "0s",
  };
}

function dnsFlags(paths: ClusterPaths, settings: ClusterSettings): Flags {
  return {
    kubeconfig: accessFile(paths, "kubelet"),
    "node-name": settings.nodeName,
    "cluster-domain": settings.clusterDomain,
  };
}

function networkFlags(paths: ClusterPaths, settings: ClusterSettings): Flags {
  return {
    kubeconfig: accessFile(paths, "kubelet"),
    "node-name": settings.nodeName,
    "cluster-cidr": settings.podCidr,
    "cni-conf-dir": paths.cni,
    "cni-data-dir": paths.cniData,
  };
}
