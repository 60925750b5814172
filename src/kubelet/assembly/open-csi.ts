import type { Client } from "#/client/client.ts";
import { logger } from "#/std/log/log.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";
import { CsiDrivers } from "../csi/csi-drivers.ts";
import { CsiNodeObject } from "../csi/csi-node.ts";
import { CsiVolumes } from "../csi/csi-volumes.ts";
import type { NodeAgent } from "../node/node-agent.ts";
import type { Mounter } from "../volumes/mounter.ts";
import type { ReferencedObjects } from "../volumes/referenced-objects.ts";
import type { ServiceAccountTokens } from "../volumes/service-account-tokens.ts";
import type { Machine } from "./open-machine.ts";

export interface CsiParts {
  readonly machine: Machine;
  readonly client: Client;
  readonly clock: Clock;
  readonly node: Pick<NodeAgent, "find">;
  readonly mounter: Mounter;
  readonly objects: ReferencedObjects;
  readonly tokens: ServiceAccountTokens;
}

export interface OpenedCsi {
  readonly volumes: CsiVolumes;
  /** Follows drivers until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const log = logger("csi");
const backoff = exponentialBackoff({ baseMs: 500, maxMs: 30_000 });

/** Puts together what deals with CSI drivers. */
export function openCsi(parts: CsiParts): OpenedCsi {
  const { machine, client, clock, node, mounter, objects, tokens } = parts;
  const { directories, nodeName } = machine;
  const object = new CsiNodeObject(client, nodeName, () => node.find());
  const drivers = new CsiDrivers({
    directory: directories.pluginRegistration,
    clock,
    registered: (driver) => object.add(driver),
    unregistered: (name) => object.remove(name),
  });
  const volumes = new CsiVolumes({
    client,
    drivers,
    directories,
    mounter,
    nodeName,
    getSecret: (namespace, name) => objects.getSecret(namespace, name),
    getToken: async (subject) => {
      const { status } = await tokens.get(subject);
      const { token = "", expirationTimestamp = "" } = status ?? {};
      return { token, expirationTimestamp };
    },
  });
  const run = async (signal: AbortSignal): Promise<void> => {
    await Promise.all([ensureObject(object, clock, signal), drivers.run(signal)]);
  };
  return { volumes, run };
}

/** The node's object is there even without drivers. */
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
      log.v(2, "No CSINode yet", { error: (error as Error).message });
      await clock.sleep(backoff(failures), signal).catch(() => undefined);
    }
  }
}
