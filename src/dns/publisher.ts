import { isDeepStrictEqual } from "node:util";
import { nodes, services } from "#/api/core/v1.ts";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import type { Client } from "#/client/client.ts";
import { recorder } from "#/client/events/events.ts";
import { Informers } from "#/client/informers/informers.ts";
import { StatusError } from "#/machinery/meta/status-error.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { managedBy, planSlices } from "./plan-slices.ts";
import { reportConfig } from "./report-config.ts";
import { serviceObject } from "./service-object.ts";

/** Changes within this time (ms) are written together. */
const settleMs = 100;
/** Delay of a retry after a failure (ms). */
const retryMs = 2000;

const labelSelector = `endpointslice.kubernetes.io/managed-by=${managedBy}`;

interface PublisherOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** The ConfigMap with the Corefile, NAMESPACE/NAME: events say whether it can be used. Empty for none. */
  readonly corefileConfigMap: string;
  /** The cluster IP of the Service kube-dns. */
  readonly clusterIp: string;
  readonly port: number;
}

/** Maintains the Service kube-dns, whose endpoints are the nodes, until the signal aborts. */
export async function publishDns(options: PublisherOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, log } = options;
  const informers = new Informers(client, signal, { clock });
  const nodeInformer = informers.informer(nodes);
  const sliceInformer = informers.informer(endpointSlices, {
    namespace: "kube-system",
    labelSelector,
  });
  let wake: (() => void) | undefined;
  let changed = true;
  const note = (): void => {
    changed = true;
    wake?.();
  };
  for (const informer of [nodeInformer, sliceInformer]) {
    informer.subscribe({ added: note, updated: note, deleted: note });
  }
  signal.addEventListener("abort", note);
  using _reports = reportCorefile(options, informers, signal);
  await Promise.all([nodeInformer.synced, sliceInformer.synced]);
  while (!signal.aborted) {
    try {
      changed = false;
      await ensureService(options);
      const desired = planSlices(nodeInformer.store.list(), options.port);
      await reconcileSlices(client, sliceInformer.store.list(), desired);
    } catch (error) {
      if (signal.aborted) return;
      log.error(error, "failed to publish cluster DNS");
      await clock.sleep(retryMs, signal).catch(() => undefined);
      continue;
    }
    if (!changed) await new Promise<void>((resolve) => (wake = resolve));
    wake = undefined;
    await clock.sleep(settleMs, signal).catch(() => undefined);
  }
}

function reportCorefile(
  { client, corefileConfigMap: configMap, port }: PublisherOptions,
  informers: Informers,
  signal: AbortSignal,
): Disposable | undefined {
  if (configMap === "") return undefined;
  const events = recorder(client, { component: "cluster-dns", signal });
  return reportConfig({ informers, configMap, port, recorder: events });
}

async function ensureService({ client, clusterIp }: PublisherOptions): Promise<void> {
  try {
    await client.get(services, { namespace: "kube-system", name: "kube-dns" });
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
    await client.create(services, serviceObject(clusterIp), { namespace: "kube-system" });
  }
}

/**
 * Deletes the Service kube-dns and its EndpointSlices. A Service with a selector, and slices of other
 * writers, belong to another DNS server.
 */
export async function withdrawDns(client: Client): Promise<void> {
  const { items } = await client.list(endpointSlices, { namespace: "kube-system", labelSelector });
  await reconcileSlices(client, items ?? [], []);
  const service = { namespace: "kube-system", name: "kube-dns" };
  try {
    const { spec } = await client.get(services, service);
    if (!spec?.selector) await client.delete(services, service);
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
  }
}

async function reconcileSlices(
  client: Client,
  found: readonly EndpointSlice[],
  desired: readonly EndpointSlice[],
): Promise<void> {
  const byName = new Map(found.map((slice) => [slice.metadata.name, slice]));
  for (const slice of desired) {
    const known = byName.get(slice.metadata.name);
    byName.delete(slice.metadata.name);
    if (!known) await client.create(endpointSlices, slice, { namespace: "kube-system" });
    else if (!sameSlice(known, slice)) {
      await client.update(endpointSlices, { ...slice, metadata: { ...known.metadata } });
    }
  }
  for (const { metadata } of byName.values()) {
    const { namespace, name = "" } = metadata;
    await client.delete(endpointSlices, { namespace, name });
  }
}

function sameSlice(a: EndpointSlice, b: EndpointSlice): boolean {
  return isDeepStrictEqual([a.endpoints ?? [], a.ports], [b.endpoints ?? [], b.ports]);
}
