import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import type { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import { aborted } from "#/std/async/aborted.ts";
import type { Logger } from "#/std/log/log.ts";

/**
 * The slice that the API servers write and repair themselves. Others with the label of their Service are ignored: any
 * user who may make one in this namespace would lead connections to other addresses.
 */
const slice = { namespace: "default", name: "kubernetes" };

interface FollowOptions {
  readonly client: Client;
  /** Is called with the addresses of all servers when they change. */
  readonly learn: (addresses: readonly string[]) => Promise<void>;
  readonly log: Logger;
}

/** Follows the endpoints of the API servers until the signal aborts. */
export async function followServers(
  { client, learn, log }: FollowOptions,
  signal: AbortSignal,
): Promise<void> {
  const informers = new Informers(client, signal);
  const informer = informers.informer(endpointSlices, {
    namespace: slice.namespace,
    fieldSelector: `metadata.name=${slice.name}`,
  });
  let last = "";
  let learning = Promise.resolve();
  const changed = (): void => {
    const addresses = addressesOf(informer.store.list());
    // An empty list would leave nothing to connect to.
    if (addresses.length === 0 || addresses.join() === last) return;
    last = addresses.join();
    log.info("the servers are known", { servers: last });
    learning = learning
      .then(() => learn(addresses))
      .catch((error: unknown) => log.error(error, "failed to keep the list of servers"));
  };
  using _subscription = informer.subscribe({ added: changed, updated: changed, deleted: changed });
  await aborted(signal);
  await learning;
}

/** The addresses of API servers, in their order. */
function addressesOf(slices: readonly EndpointSlice[]): string[] {
  const all = slices.flatMap(({ endpoints, ports }) => {
    const port = ports?.find(({ name }) => name === "https")?.port;
    if (port === undefined) return [];
    return (endpoints ?? []).flatMap(({ addresses }) =>
      addresses.map((ip) => `https://${ip.includes(":") ? `[${ip}]` : ip}:${port}`),
    );
  });
  return [...new Set(all)].sort();
}
