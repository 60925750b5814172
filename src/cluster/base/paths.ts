import { join } from "node:path";

/** The name of the default cluster. */
export const defaultClusterName = "k8ts";

/** The folder of a machine's kubelet, where others expect it. */
export const kubeletFolder = "/var/lib/kubelet";

/** The flag that selects this cluster: empty for the default one. */
export const nameOption = (cluster: string): string =>
  cluster === defaultClusterName ? "" : ` --name ${cluster}`;

/** The paths of a cluster's files; all of them are under its folder. */
export interface ClusterPaths {
  readonly folder: string;
  /** Certificates and keys. */
  readonly pki: string;
  /** Kubeconfigs of the components: NAME.kubeconfig. */
  readonly access: string;
  /** Configuration files of the components. */
  readonly config: string;
  readonly store: string;
  readonly log: string;
  /** Process ids, sockets. */
  readonly run: string;
  readonly settings: string;
  /** The kubelet's files; it and its containers usually see them at `kubeletFolder`. */
  readonly kubelet: string;
  readonly containerd: string;
  readonly containerdSocket: string;
  /** Configuration of the pod network, for the container runtime. */
  readonly cni: string;
  /** The allocated addresses of pods. */
  readonly cniData: string;
  readonly podLogs: string;
}

/** The default folder of a cluster. */
export const clusterFolder = (name: string): string =>
  name === defaultClusterName ? "/var/lib/k8ts" : `/var/lib/k8ts-${name}`;

export function clusterPaths(folder: string): ClusterPaths {
  const at = (name: string): string => join(folder, name);
  return {
    folder,
    pki: at("pki"),
    access: at("access"),
    config: at("config"),
    store: at("store"),
    log: at("log"),
    run: at("run"),
    settings: at("cluster.json"),
    kubelet: at("kubelet"),
    containerd: at("containerd"),
    containerdSocket: at("run/containerd/containerd.sock"),
    cni: at("config/cni"),
    cniData: at("run/cni"),
    podLogs: at("log/pods"),
  };
}

/** The kubeconfig of a component or a user. */
export const accessFile = (paths: ClusterPaths, who: string): string =>
  join(paths.access, `${who}.kubeconfig`);
