/** Upstream: staging/src/k8s.io/client-go/rest/config.go (InClusterConfig). */

import { join } from "node:path";
import { existsSync, readFileSync } from "#/std/files/node-fs.ts";
import type { SelectedContext } from "./select-context.ts";

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

interface InClusterEnvironment {
  readonly KUBERNETES_SERVICE_HOST?: string | undefined;
  readonly KUBERNETES_SERVICE_PORT?: string | undefined;
}

/** The identity of a pod towards its cluster; undefined outside of a cluster. */
export function findInCluster(
  environment: InClusterEnvironment = process.env,
  folder: string = serviceAccountFolder,
): SelectedContext | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  const tokenFile = join(folder, "token");
  if (!host || !port || !existsSync(tokenFile)) return undefined;
  const [ca, namespaceFile] = [join(folder, "ca.crt"), join(folder, "namespace")];
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return {
    name: "",
    cluster: { server, ...(existsSync(ca) ? { "certificate-authority": ca } : {}) },
    user: { tokenFile },
    namespace: existsSync(namespaceFile)
      ? readFileSync(namespaceFile, "utf8").trim() || "default"
      : "default",
  };
}
