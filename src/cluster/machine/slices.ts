import { defaultClusterName } from "../base/paths.ts";

/** The slice above a cluster's Pods, without its suffix: upstream's own for the machine's default cluster. */
export const podSlice = (cluster: string): string =>
  cluster === defaultClusterName ? "kubepods" : `k8ts_${cluster.replaceAll("-", "_")}`;

/** The kubelet's cgroupRoot with the systemd driver: `kubepods` below it has the name of podSlice() or begins with it. */
export const sliceRoot = (cluster: string): string =>
  cluster === defaultClusterName ? "/" : `/${podSlice(cluster)}`;
