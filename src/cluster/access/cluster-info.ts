/** Upstream: cmd/kubeadm/app/discovery/token. */

import { CommandFailure } from "../base/command-failure.ts";
import { ownCommand } from "../base/own-command.ts";
import { askServer } from "./ask-server.ts";
import { caHash } from "./ca-hash.ts";

/** The ConfigMap in kube-public with the cluster's authority, for machines that don't trust it yet. */
export function clusterInfo(server: string, authority: string): object {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "",
        cluster: {
          server,
          "certificate-authority-data": Buffer.from(authority).toString("base64"),
        },
      },
    ],
    contexts: null,
    "current-context": "",
    users: null,
  };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "cluster-info", namespace: "kube-public" },
    data: { kubeconfig: JSON.stringify(config) },
  };
}

/** Requests the authority from a server that is not trusted yet, and accepts it only if it has the expected hash. */
export async function discoverAuthority(server: string, expectedHash: string): Promise<string> {
  const url = new URL("/api/v1/namespaces/kube-public/configmaps/cluster-info", server);
  const { status, body } = await askServer(url, { authority: undefined });
  if (status !== 200) {
    throw new CommandFailure(`${server} answered with ${status}: ${body.slice(0, 200)}`);
  }
  const authority = authorityOf(body);
  if (!authority) throw new CommandFailure(`${server} does not say who its authority is`);
  const hash = caHash(authority);
  if (hash !== expectedHash) {
    throw new CommandFailure(
      `${server} is not the server that --ca-hash names\n  wanted ${expectedHash}\n  found  ${hash}`,
    );
  }
  return authority;
}

function authorityOf(body: string): string | undefined {
  const { data } = JSON.parse(body) as { data?: { kubeconfig?: string } };
  const config = JSON.parse(data?.kubeconfig ?? "{}") as {
    clusters?: { cluster?: { "certificate-authority-data"?: string } }[];
  };
  const encoded = config.clusters?.[0]?.cluster?.["certificate-authority-data"];
  return encoded && Buffer.from(encoded, "base64").toString();
}

/** Throws unless the server accepts the token: an invalid or expired one is rejected at once. */
export async function checkToken(server: string, authority: string, token: string): Promise<void> {
  const { status } = await askServer(new URL("/api", server), { authority, token });
  if (status !== 401) return;
  throw new CommandFailure(
    `${server} refuses the token: it is wrong or has expired\n  make another on its machine: ${ownCommand("token create")}`,
  );
}

/** Throws unless the server's certificate is of the cluster's authority. */
export async function checkServer(server: string, authority: string): Promise<void> {
  await askServer(new URL("/version", server), { authority });
}
