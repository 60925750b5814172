import { endpointSlices } from "#/api/discovery/v1.ts";
import type { Client } from "#/client/client.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { type PublishedEndpoint, planSlice } from "./plan-slice.ts";

/** Delay (ms) of another attempt after a failure. */
const retryMs = 1_000;

/** Publishes the endpoint; tries again until it succeeds or the signal aborts. */
export async function publishEndpoint(
  client: Client,
  endpoint: PublishedEndpoint,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const slice = planSlice(endpoint);
  const { namespace, name = "" } = slice.metadata;
  for (let logged = ""; !signal.aborted; ) {
    try {
      const found = await client.get(endpointSlices, { namespace, name }).catch(ignoreNotFound);
      if (found) await client.update(endpointSlices, { ...slice, metadata: found.metadata });
      else await client.create(endpointSlices, slice);
      return;
    } catch (error) {
      if (signal.aborted) return;
      const reason = String(error);
      if (reason !== logged) log.warning("failed to publish the gateway", { error: reason });
      logged = reason;
      await clock.sleep(retryMs, signal).catch(() => undefined);
    }
  }
}

/** Removes the endpoint. */
export async function withdrawEndpoint(
  client: Client,
  service: string,
  nodeName: string,
): Promise<void> {
  const { metadata } = planSlice({ service, address: "", nodeName, ports: {} });
  const { namespace, name = "" } = metadata;
  await client.delete(endpointSlices, { namespace, name }).catch(ignoreNotFound);
}
