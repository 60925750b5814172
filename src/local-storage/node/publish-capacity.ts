import { createHash } from "node:crypto";
import { nodes } from "#/api/core/v1.ts";
import {
  type CSIStorageCapacity,
  csiStorageCapacities,
  type StorageClass,
  storageClasses,
} from "#/api/storage/v1.ts";
import type { Client } from "#/client/client.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { driverName, nodeKey } from "../base/names.ts";

interface CapacityOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly nodeName: string;
  availableBytes(): Promise<number>;
}

const log = logger("local-storage");
const namespace = "kube-system";
/** How often the free space of the disk is read (ms): other programs use it too. */
const checkMs = 30_000;
/** Changes of less than this share are not published: an idle cluster writes nothing. */
const share = 0.01;
const leastBytes = 64 << 20;
const stepBytes = 1 << 20;

/** Keeps a CSIStorageCapacity for each StorageClass of the driver, by which the scheduler chooses a node. */
export class CapacityPublisher {
  readonly #options: CapacityOptions;
  readonly #published = new Map<string, number>();
  #wake: (() => void) | undefined;
  #isWanted = false;

  constructor(options: CapacityOptions) {
    this.#options = options;
  }

  /** Publishes soon, as volumes have changed. */
  readonly changed = (): void => {
    this.#isWanted = true;
    this.#wake?.();
  };

  async run(signal: AbortSignal): Promise<void> {
    const { clock, informers } = this.#options;
    const classes = informers.informer(storageClasses);
    using _subscription = classes.subscribe({
      added: this.changed,
      updated: this.changed,
      deleted: this.changed,
    });
    await classes.synced;
    while (!signal.aborted) {
      this.#isWanted = false;
      await this.#publish(classes.store.list()).catch((error: unknown) => {
        if (!signal.aborted) log.error(error, "failed to publish storage capacity");
      });
      if (this.#isWanted) continue;
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      await clock.sleep(checkMs, AbortSignal.any([signal, woken.signal])).catch(() => undefined);
    }
  }

  async #publish(classes: readonly StorageClass[]): Promise<void> {
    const available = await this.#options.availableBytes();
    const bytes = Math.floor(available / stepBytes) * stepBytes;
    const own = classes.filter(({ provisioner }) => provisioner === driverName);
    for (const { metadata } of own) await this.#publishFor(metadata.name ?? "", bytes);
    const names = new Set(own.map(({ metadata }) => metadata.name));
    for (const name of this.#published.keys()) {
      if (names.has(name)) continue;
      await this.#options.client
        .delete(csiStorageCapacities, { namespace, name: this.#nameFor(name) })
        .catch(unlessMissing);
      this.#published.delete(name);
    }
  }

  async #publishFor(storageClassName: string, bytes: number): Promise<void> {
    const { client, nodeName } = this.#options;
    const before = this.#published.get(storageClassName);
    if (before !== undefined && !isWorthPublishing(before, bytes)) return;
    const node = await client.get(nodes, { name: nodeName });
    const capacity: CSIStorageCapacity = {
      apiVersion: "storage.k8s.io/v1",
      kind: "CSIStorageCapacity",
      metadata: {
        namespace,
        name: this.#nameFor(storageClassName),
        labels: { "csi.storage.k8s.io/drivername": driverName },
        // It disappears with the node.
        ownerReferences: [
          { apiVersion: "v1", kind: "Node", name: nodeName, uid: node.metadata.uid ?? "" },
        ],
      },
      storageClassName,
      nodeTopology: { matchLabels: { [nodeKey]: nodeName } },
      capacity: String(bytes),
      maximumVolumeSize: String(bytes),
    };
    const options = { type: "apply", fieldManager: "local-storage", force: true } as const;
    const ref = { namespace, name: capacity.metadata.name ?? "" };
    await client.patch(csiStorageCapacities, ref, capacity, options);
    this.#published.set(storageClassName, bytes);
  }

  #nameFor(storageClass: string): string {
    const { nodeName } = this.#options;
    const hash = createHash("sha256").update(`${nodeName}/${storageClass}`).digest("hex");
    return `local-${hash.slice(0, 20)}`;
  }
}

/** Whether the change of a capacity matters to the scheduler. */
const isWorthPublishing = (before: number, now: number): boolean =>
  now !== before && (now === 0 || Math.abs(now - before) >= Math.max(leastBytes, before * share));

function unlessMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
