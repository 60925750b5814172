/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go (formatEndpointSlices). */
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import type { Context } from "../../../command/context.ts";

const shown = 3;

/** The slices that belong to a Service. */
export async function slicesOf(
  context: Context,
  namespace: string,
  service: string,
): Promise<readonly EndpointSlice[]> {
  const client = await context.cluster.client();
  return await client.listAll(endpointSlices, {
    namespace,
    labelSelector: `kubernetes.io/service-name=${service}`,
  });
}

/** The first ready endpoints of a port. */
export function formatEndpoints(slices: readonly EndpointSlice[], portName: string): string {
  if (slices.length === 0) return "<none>";
  const list: string[] = [];
  let count = 0;
  let hasMore = false;
  for (const { ports = [], endpoints = [] } of slices) {
    const wanted =
      ports.length === 0 ? [undefined] : ports.filter(({ name = "" }) => name === portName);
    for (const port of wanted) {
      for (const { addresses = [], conditions } of endpoints) {
        if (list.length === shown) hasMore = true;
        if (conditions?.ready === false) continue;
        if (!hasMore) list.push(endpointText(addresses[0] ?? "", port?.port));
        count++;
      }
    }
  }
  const text = list.join(",");
  return hasMore ? `${text} + ${count - shown} more...` : text;
}

function endpointText(address: string, port: number | undefined): string {
  if (port === undefined) return address;
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
