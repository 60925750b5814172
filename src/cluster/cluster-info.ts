/** Upstream: cmd/kubeadm/app/discovery/token. */
import { request } from "node:https";
import { caHash } from "./ca-hash.ts";

/** The ConfigMap in kube-public that tells a machine, before it trusts anybody, whose the cluster's authority is. */
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

/** Asks a server that nobody vouches for yet for its authority, and believes it only if it has the expected hash. */
export async function discoverAuthority(server: string, expectedHash: string): Promise<string> {
  const url = new URL("/api/v1/namespaces/kube-public/configmaps/cluster-info", server);
  const { data } = JSON.parse(await fetchUntrusted(url)) as { data?: { kubeconfig?: string } };
  const config = JSON.parse(data?.kubeconfig ?? "{}") as {
    clusters?: { cluster?: { "certificate-authority-data"?: string } }[];
  };
  const encoded = config.clusters?.[0]?.cluster?.["certificate-authority-data"];
  if (!encoded) throw new Error(`${server} does not say who its authority is`);
  const authority = Buffer.from(encoded, "base64").toString();
  const hash = caHash(authority);
  if (hash !== expectedHash) {
    throw new Error(
      `${server} has the authority ${hash}, not ${expectedHash}: it is not to be trusted`,
    );
  }
  return authority;
}

/** Nothing secret is sent, and what comes back is checked by the caller. */
function fetchUntrusted(url: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(url, { rejectUnauthorized: false, timeout: 10_000 }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => {
        if (response.statusCode === 200) resolve(text);
        else
          reject(
            new Error(`${url.origin} answered with ${response.statusCode}: ${text.slice(0, 200)}`),
          );
      });
    });
    call.on("timeout", () => call.destroy(new Error(`${url.origin} does not answer`)));
    call.on("error", reject);
    call.end();
  });
}
