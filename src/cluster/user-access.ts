import { join } from "node:path";
import { mustKubectl } from "./kubectl.ts";
import type { ClusterPaths } from "./paths.ts";
import type { ClusterSettings } from "./settings.ts";

/** Puts the cluster, its administrator's certificate and a context of both into the kubeconfig that the user has. */
export async function writeUserAccess(
  paths: ClusterPaths,
  { kubeconfig, name, server }: ClusterSettings,
): Promise<void> {
  if (!kubeconfig) return;
  const config = (...args: string[]): Promise<string> =>
    mustKubectl(paths, ["config", `--kubeconfig=${kubeconfig}`, ...args, "--embed-certs"]);
  const pki = (file: string): string => join(paths.pki, file);
  await config(
    "set-cluster",
    name,
    `--server=${server}`,
    `--certificate-authority=${pki("ca.crt")}`,
  );
  await config(
    "set-credentials",
    `${name}-admin`,
    `--client-certificate=${pki("admin.crt")}`,
    `--client-key=${pki("admin.key")}`,
  );
  const context = ["set-context", name, `--cluster=${name}`, `--user=${name}-admin`];
  await mustKubectl(paths, ["config", `--kubeconfig=${kubeconfig}`, ...context]);
}
