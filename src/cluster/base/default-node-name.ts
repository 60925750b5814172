import { hostname } from "node:os";
import { defaultClusterName } from "./paths.ts";

/** The machine's name, and the cluster's too if the machine may have several. */
export function defaultNodeName(cluster: string): string {
  const host = hostname().toLowerCase();
  return cluster === defaultClusterName ? host : `${host}-${cluster}`;
}
