import { configMaps } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { StatusError } from "#/machinery/meta/status-error.ts";
import { aborted } from "#/std/async/aborted.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";

/** Upstream: KEP-1755, by which tools find the registry of a cluster. */
const place = { namespace: "kube-public", name: "local-registry-hosting" };
const key = "localRegistryHosting.v1";
/** The label of a ConfigMap that is ours: a user's own is left alone. */
const ownLabel = { "app.kubernetes.io/managed-by": "k8ts-registry" };
const retryMs = 2000;

interface PublishOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly port: number;
}

/** Writes the ConfigMap, unless the user has one, and waits until the signal aborts. */
export async function publishHosting(options: PublishOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  for (let isLogged = false; !signal.aborted; isLogged = true) {
    try {
      await write(options);
      break;
    } catch (error) {
      if (!isLogged) log.error(error, "failed to publish the registry");
      await clock.sleep(retryMs, signal);
    }
  }
  await aborted(signal);
}

/** Removes it if it is ours. */
export async function withdrawHosting(client: Client): Promise<void> {
  const found = await find(client);
  if (found && isOwn(found)) await client.delete(configMaps, place);
}

async function write({ client, port }: PublishOptions): Promise<void> {
  const text = `host: "localhost:${port}"\nhelp: "k8ts help image"\n`;
  const data = { [key]: text };
  const found = await find(client);
  if (!found) await client.create(configMaps, { metadata: { ...place, labels: ownLabel }, data });
  else if (isOwn(found) && found.data?.[key] !== text) {
    await client.update(configMaps, { ...found, data });
  }
}

const isOwn = ({ metadata }: { readonly metadata: { readonly labels?: object } }): boolean =>
  Object.entries(ownLabel).every(
    ([name, value]) => (metadata.labels as Record<string, string> | undefined)?.[name] === value,
  );

async function find(client: Client) {
  try {
    return await client.get(configMaps, place);
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 404) return undefined;
    throw error;
  }
}
