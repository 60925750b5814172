import { join } from "node:path";
import { accessFile, type ClusterPaths } from "../base/paths.ts";
import { writeIfChanged } from "../base/write-file.ts";

/** The credentials of a kubeconfig's user. */
type Credentials =
  | { readonly certificateFile: string; readonly keyFile: string }
  | { readonly token: string };

interface Access {
  readonly cluster: string;
  readonly server: string;
  readonly authority: string;
  readonly user: string;
  readonly credentials: Credentials;
}

/** A kubeconfig as JSON, which is valid YAML. Certificates are referenced, not copied, so that renewed ones are used. */
export function kubeconfigText({ cluster, server, authority, user, credentials }: Access): string {
  const identity =
    "token" in credentials
      ? { token: credentials.token }
      : {
          "client-certificate": credentials.certificateFile,
          "client-key": credentials.keyFile,
        };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: cluster, cluster: { server, "certificate-authority": authority } }],
    users: [{ name: user, user: identity }],
    contexts: [{ name: cluster, context: { cluster, user } }],
    "current-context": cluster,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

/** Writes the kubeconfigs of users with a certificate in the cluster's folder: [kubeconfig, certificate]. */
export async function writeAccessFiles(
  paths: ClusterPaths,
  cluster: string,
  server: string,
  whose: readonly (readonly [file: string, certificate: string])[],
): Promise<void> {
  for (const [file, certificate] of whose) {
    const text = kubeconfigText({
      cluster,
      server,
      authority: join(paths.pki, "ca.crt"),
      user: file,
      credentials: {
        certificateFile: join(paths.pki, `${certificate}.crt`),
        keyFile: join(paths.pki, `${certificate}.key`),
      },
    });
    await writeIfChanged(accessFile(paths, file), text);
  }
}
