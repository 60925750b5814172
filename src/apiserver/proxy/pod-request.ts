import type { Pod } from "#/api/core/v1.ts";
import { internalError } from "#/machinery/status-error.ts";
import type { Decoded } from "../registry/strategy.ts";
import type { ResourceRequest } from "../verbs/write-request.ts";
import type { Connections } from "./connections.ts";

/** The pod of a request. */
export async function podOf(
  { exchange, services }: ResourceRequest,
  name: string,
): Promise<Decoded<Pod>> {
  const found = await services.store("", "pods").get(exchange.info.namespace, name);
  return found.object as Decoded<Pod>;
}

/** The ways into the cluster; a server that was started without them can't be asked. */
export function connectionsOf({ services }: ResourceRequest): Connections {
  if (!services.connections) throw internalError(new Error("no connections into the cluster"));
  return services.connections;
}
