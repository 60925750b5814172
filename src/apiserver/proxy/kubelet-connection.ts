import type { Node } from "#/api/core/v1.ts";
import { statusWithoutReason } from "#/machinery/meta/status-error.ts";
import type { KubeletAddress } from "../outgoing/kubelet-address.ts";
import type { Store } from "../registry/store.ts";

/** Default port of the kubelet, if the node has none. */
const kubeletPort = 10250;

/**
 * Address of a node's kubelet: the node's address of the first of the preferred types.
 *
 * Upstream: pkg/kubelet/client/kubelet_client.go, pkg/util/node/node.go.
 */
export async function findKubelet(
  nodes: Store,
  name: string,
  preferredTypes: readonly string[],
): Promise<KubeletAddress> {
  const { status } = (await nodes.get("", name)).parsed() as unknown as Node;
  const addresses = status?.addresses ?? [];
  const found = preferredTypes
    .map((type) => addresses.find((address) => address.type === type))
    .find((address) => address !== undefined);
  if (!found) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(" ");
    throw statusWithoutReason(`no preferred addresses found; known addresses: [${known}]`);
  }
  return {
    scheme: "https",
    hostname: found.address,
    port: status?.daemonEndpoints?.kubeletEndpoint?.Port || kubeletPort,
    features: status?.declaredFeatures ?? [],
  };
}
