/** Upstream: staging/src/k8s.io/client-go/tools/clientcmd. */
import { Http2Transport } from "../transport/http2-transport.ts";
import type { Transport } from "../transport/transport.ts";
import { connectionOptions, type TransportOptions } from "./connection-options.ts";
import { findInCluster } from "./in-cluster.ts";
import { loadKubeconfig } from "./kubeconfig-files.ts";
import { type SelectedContext, selectContext } from "./select-context.ts";

/** The transport of a selected context. */
export function transportTo(
  selected: Pick<SelectedContext, "cluster" | "user">,
  options: TransportOptions = {},
): Transport {
  return new Http2Transport(connectionOptions(selected, options));
}

/**
 * The transport that a component's flags select: --kubeconfig, optionally with another server
 * (--master), or the cluster in which it runs.
 */
export async function openTransport(
  flags: { readonly kubeconfig?: string | undefined; readonly master?: string | undefined },
  options: TransportOptions = {},
): Promise<Transport> {
  const { kubeconfig = "", master = "" } = flags;
  if (kubeconfig === "" && master === "") {
    const inside = findInCluster();
    if (inside) return transportTo(inside, options);
    throw new Error(
      "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined",
    );
  }
  const config = kubeconfig === "" ? {} : (await loadKubeconfig(kubeconfig)).config;
  const overrides = master === "" ? {} : { clusterInfo: { server: master } };
  return transportTo(selectContext(config, overrides), options);
}
