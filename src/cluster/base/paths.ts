import { join } from "node:path";

/** The name of the cluster of a machine that has one. */
export const defaultClusterName = "k8ts";

/** The flag by which a command means this cluster: empty for the default one. */
export const nameOption = (cluster: string): string =>
  cluster === defaultClusterName ? "" : ` --name ${cluster}`;

/** Where the files of a cluster are; all of them are under its folder. */
export interface ClusterPaths {
  readonly folder: string;
  /** Certificates and keys. */
  readonly pki: string;
  /** Who reaches the API as whom: NAME.kubeconfig. */
  readonly access: string;
  /** Configuration files of the components. */
  readonly config: string;
  readonly store: string;
  readonly log: string;
  /** Process ids, sockets. */
  readonly run: string;
  readonly settings: string;
  readonly kubelet: string;
  readonly containerd: string;
  readonly containerdSocket: string;
  /** Configuration of the pod network, for the container runtime. */
  readonly cni: string;
  /** The addresses that pods have. */
  readonly cniData: string;
  readonly podLogs: string;
}

/** The folder of a cluster, unless another is asked for. */
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

/** The file by which a component or a user reaches the API. */
export const accessFile = (paths: ClusterPaths, who: string): string =>
  join(paths.access, `${who}.kubeconfig`);
