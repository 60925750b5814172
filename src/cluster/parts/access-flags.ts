import { accessFile, type ClusterPaths } from "../base/paths.ts";
import type { Flags } from "./part.ts";

/** The flags by which a component of the server reaches the API, and serves its own endpoints on this machine only. */
export function accessFlags(paths: ClusterPaths, who: string): Flags {
  const file = accessFile(paths, who);
  return {
    kubeconfig: file,
    "authentication-kubeconfig": file,
    "authorization-kubeconfig": file,
    "bind-address": "127.0.0.1",
    // There is one server; a second one would need etcd and leader election.
    "leader-elect": false,
  };
}
