import type { Client } from "#/client/client.ts";
import { logger } from "#/std/log/log.ts";
import type { Mounter } from "#/std/mounts/mounter.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Directories } from "../state/directories.ts";
import type { NodeRecord } from "../state/node-record.ts";
import type { PodEvents } from "../state/pod-events.ts";
import type { VolumesInUse } from "../state/volumes-in-use.ts";
import type { ReferencedObjects } from "../volumes/referenced-objects.ts";
import type { ServiceAccountTokens } from "../volumes/service-account-tokens.ts";
import { CsiDrivers } from "./csi-drivers.ts";
import { CsiNodeObject } from "./csi-node.ts";
import { CsiVolumes } from "./csi-volumes.ts";
import { VolumeExpander } from "./expand-volumes.ts";

interface CsiOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly node: Pick<NodeRecord, "name" | "find" | "until">;
  readonly inUse: VolumesInUse;
  readonly directories: Directories;
  readonly mounter: Mounter;
  readonly events: PodEvents;
  readonly objects: Pick<ReferencedObjects, "getSecret">;
  readonly tokens: Pick<ServiceAccountTokens, "get">;
}

interface OpenedCsi {
  readonly volumes: CsiVolumes;
  /** Watches drivers until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const log = logger("csi");
const backoff = exponentialBackoff({ baseMs: 500, maxMs: 30_000 });

/** Opens the parts that work with CSI drivers. */
export function openCsi(options: CsiOptions): OpenedCsi {
  const { client, clock, node, inUse, directories, mounter, objects, tokens } = options;
  const object = new CsiNodeObject(client, node.name, () => node.find());
  const drivers = new CsiDrivers({
    directory: directories.pluginRegistration,
    clock,
    registered: (driver) => object.add(driver),
    unregistered: (name) => object.remove(name),
  });
  const expander = new VolumeExpander({ client, clock, drivers, events: options.events });
  const volumes = new CsiVolumes({
    client,
    clock,
    node,
    inUse,
    drivers,
    directories,
    mounter,
    expander,
    getSecret: (namespace, name) => objects.getSecret(namespace, name),
    getToken: async (subject) => {
      const { status } = await tokens.get(subject);
      const { token = "", expirationTimestamp = "" } = status ?? {};
      return { token, expirationTimestamp };
    },
  });
  const run = async (signal: AbortSignal): Promise<void> => {
    await Promise.all([
      ensureObject(object, clock, signal),
      drivers.run(signal),
      expander.run(signal),
    ]);
  };
  return { volumes, run };
}

/** The CSINode exists even without drivers. */
async function ensureObject(
  object: CsiNodeObject,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await object.ensure();
      return;
    } catch (error) {
      log.v(2, "failed to create CSINode", { error: (error as Error).message });
      await clock.sleep(backoff(failures), signal).catch(() => undefined);
    }
  }
}
