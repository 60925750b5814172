/** Upstream: pkg/volume/util/operationexecutor/node_expander.go, pkg/volume/csi/expander.go. */
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { planResizePatch, resizeStatusOf } from "#/machinery/volumes/claim-resize.ts";
import { volumeCapacity } from "#/machinery/volumes/match-volume.ts";
import { KeyedLock } from "#/std/async/keyed-lock.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import type { PodEvents } from "../state/pod-events.ts";
import { callMs } from "./call-limits.ts";
import type { CsiDrivers } from "./csi-drivers.ts";
import { capability, type DesiredVolume } from "./desired-volume.ts";

interface ExpanderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly drivers: Pick<CsiDrivers, "find">;
  readonly events: PodEvents;
}

/** A volume that a Pod uses. */
interface UsedVolume {
  readonly desired: DesiredVolume;
  readonly claim: { readonly namespace: string; readonly name: string };
  readonly target: string;
  readonly stagingPath: string;
}

const log = logger("csi");
/** How often claims of mounted volumes are read (ms): a node may not watch them. Upstream reads them at each sync of a Pod. */
const checkMs = 10_000;
/** Final failures: another try would have the same result. */
const infeasible: ReadonlySet<string> = new Set(["INVALID_ARGUMENT", "OUT_OF_RANGE", "NOT_FOUND"]);

/** Has drivers make mounted volumes larger, as their claims request. */
export class VolumeExpander {
  readonly #options: ExpanderOptions;
  readonly #used = new Map<string, UsedVolume>();
  readonly #locks = new KeyedLock();
  /** Sizes that a driver refuses while the volume is in use, by the key of the volume. */
  readonly #refused = new Map<string, string>();

  constructor(options: ExpanderOptions) {
    this.#options = options;
  }

  /** Adds a volume that is mounted, and makes it larger if it has to be. */
  async add(used: UsedVolume): Promise<void> {
    const key = keyOf(used.desired);
    this.#used.set(key, used);
    await this.#check(key, used);
  }

  /** Forgets the volumes of a Pod. */
  remove(podUID: string): void {
    for (const key of this.#used.keys()) {
      if (!key.startsWith(`${podUID}/`)) continue;
      this.#used.delete(key);
      this.#refused.delete(key);
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const checkAll = async () => {
      for (const [key, used] of this.#used) await this.#check(key, used);
    };
    const failed = (error: unknown) => log.error(error, "failed to check sizes of volumes");
    await repeat(checkAll, { clock, everyMs: checkMs, firstAfterMs: checkMs, failed }, signal);
  }

  async #check(key: string, used: UsedVolume): Promise<void> {
    try {
      await this.#locks.run(key, () => this.#expand(key, used));
    } catch (error) {
      // The next check begins with the claim as it is then.
      if (isConflict(error) || isNotFound(error)) return;
      log.error(error, "failed to expand volume", { volume: used.desired.specName });
    }
  }

  async #expand(key: string, used: UsedVolume): Promise<void> {
    const { client, clock, drivers } = this.#options;
    const claim = await client.get(persistentVolumeClaims, used.claim);
    const step = resizeStatusOf(claim);
    if (step !== "NodeResizePending" && step !== "NodeResizeInProgress") return;
    const driver = drivers.find(used.desired.driver);
    if (!driver?.capabilities.has("EXPAND_VOLUME")) return;
    const volume = await client.get(persistentVolumes, { name: used.desired.specName });
    const size = volumeCapacity(volume);
    if (this.#refused.get(key) === size.toString()) return;
    const nowText = formatTime(clock.now());
    const begun = await this.#patch(claim, {
      status: "NodeResizeInProgress",
      condition: { type: "FileSystemResizePending", message: pendingMessage(claim) },
      nowText,
    });
    try {
      await driver.node.NodeExpandVolume(
        {
          volumeId: used.desired.handle,
          volumePath: used.target,
          stagingTargetPath: driver.capabilities.has("STAGE_UNSTAGE_VOLUME")
            ? used.stagingPath
            : "",
          capacityRange: { requiredBytes: size.value() },
          volumeCapability: capability(used.desired, driver),
        },
        { timeoutMs: callMs },
      );
    } catch (error) {
      await this.#failed(key, used, begun, error as Error, size.toString());
      return;
    }
    await this.#patch(begun, { capacity: size.toString(), nowText });
    const message = `MountVolume.NodeExpandVolume succeeded for volume "${used.desired.specName}" ${used.desired.pod.spec.nodeName ?? ""}`;
    this.#record(used, "Normal", "FileSystemResizeSuccessful", message);
  }

  async #failed(
    key: string,
    used: UsedVolume,
    claim: PersistentVolumeClaim,
    error: Error,
    size: string,
  ): Promise<void> {
    const { specName } = used.desired;
    const code = error instanceof GrpcError ? error.code : "UNKNOWN";
    const text = `NodeExpandVolume failed for volume "${specName}": ${error.message}`;
    this.#record(used, "Warning", "VolumeResizeFailed", text);
    // The volume grows when it is mounted again.
    if (code === "FAILED_PRECONDITION") this.#refused.set(key, size);
    const status = infeasible.has(code) ? "NodeResizeInfeasible" : "NodeResizePending";
    const message = `failed to expand pvc with ${error.message}`;
    const nowText = formatTime(this.#options.clock.now());
    await this.#patch(claim, { status, condition: { type: "NodeResizeError", message }, nowText });
  }

  #patch(
    claim: PersistentVolumeClaim,
    change: Parameters<typeof planResizePatch>[1],
  ): Promise<PersistentVolumeClaim> {
    const { namespace, name = "" } = claim.metadata;
    const patch = planResizePatch(claim, change);
    return this.#options.client.patchStatus(persistentVolumeClaims, { namespace, name }, patch);
  }

  #record(
    { desired }: UsedVolume,
    type: "Normal" | "Warning",
    reason: string,
    message: string,
  ): void {
    this.#options.events.record(desired.pod, { type, reason, message });
  }
}

const keyOf = ({ pod, specName }: DesiredVolume): string => `${pod.metadata.uid}/${specName}`;

/** The message of the resizer stays while the node works. */
const pendingMessage = ({ status }: PersistentVolumeClaim): string =>
  status?.conditions?.find(({ type }) => type === "FileSystemResizePending")?.message ?? "";

/** The claim of a volume, if it is bound. */
export function claimOf({ spec }: PersistentVolume): UsedVolume["claim"] | undefined {
  const { namespace, name } = spec.claimRef ?? {};
  return namespace && name ? { namespace, name } : undefined;
}
