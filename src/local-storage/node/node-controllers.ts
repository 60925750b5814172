import type { Controller } from "#/controller/controller.ts";
import type { CsiAccessMode } from "#/machinery/csi/csi-messages.ts";
import { type LocalVolume, localSnapshots, localVolumes } from "../base/custom-objects.ts";
import type { ControllerHandlers } from "../driver/controller.ts";
import { workOnObjects } from "./work-on-objects.ts";

interface NodeWork {
  readonly nodeName: string;
  /** The controller service of this node's driver. */
  readonly driver: ControllerHandlers;
  /** Called after each change of this node's volumes. */
  changed(): void;
}

const context = { signal: new AbortController().signal };

/** Makes and removes the volumes and snapshots of a node, as the objects in the API say. */
export function nodeControllers({ nodeName, driver, changed }: NodeWork): Controller<unknown>[] {
  return [
    workOnObjects({
      resource: localVolumes,
      nodeName,
      changed,
      async make({ metadata, spec }) {
        const { volume } = await driver.CreateVolume(
          {
            name: metadata.name ?? "",
            capacityRange: { requiredBytes: spec.requiredBytes, limitBytes: 0 },
            volumeCapabilities: [capabilityOf(spec)],
            parameters: {},
            volumeContentSource: sourceOf(spec),
            accessibilityRequirements: undefined,
          },
          context,
        );
        return {
          handle: volume?.volumeId ?? "",
          capacityBytes: volume?.capacityBytes ?? 0,
          context: { ...volume?.volumeContext },
        };
      },
      remove: async ({ metadata, status }) => {
        await driver.DeleteVolume({ volumeId: status?.handle ?? metadata.name ?? "" }, context);
      },
    }),
    workOnObjects({
      resource: localSnapshots,
      nodeName,
      changed,
      async make({ metadata, spec }) {
        const { snapshot } = await driver.CreateSnapshot(
          { name: metadata.name ?? "", sourceVolumeId: spec.volume, parameters: {} },
          context,
        );
        const { seconds = 0, nanos = 0 } = snapshot?.creationTime ?? {};
        return {
          handle: snapshot?.snapshotId ?? "",
          sizeBytes: snapshot?.sizeBytes ?? 0,
          createdMs: seconds * 1000 + Math.floor(nanos / 1e6),
        };
      },
      remove: async ({ metadata, status }) => {
        await driver.DeleteSnapshot({ snapshotId: status?.handle ?? metadata.name ?? "" }, context);
      },
    }),
  ];
}

const modes: Readonly<Record<string, CsiAccessMode>> = {
  ReadWriteOnce: "SINGLE_NODE_MULTI_WRITER",
  ReadWriteOncePod: "SINGLE_NODE_SINGLE_WRITER",
  ReadOnlyMany: "MULTI_NODE_READER_ONLY",
  ReadWriteMany: "MULTI_NODE_MULTI_WRITER",
};

function capabilityOf({ volumeMode, fsType = "", accessModes }: LocalVolume["spec"]) {
  const widest = Object.keys(modes).findLast((mode) => accessModes.includes(mode)) ?? "";
  const accessMode = { mode: modes[widest] ?? "UNKNOWN" };
  if (volumeMode === "Block") return { block: {}, mount: undefined, accessMode };
  const mount = { fsType, mountFlags: [], volumeMountGroup: "" };
  return { block: undefined, mount, accessMode };
}

function sourceOf({ source }: LocalVolume["spec"]) {
  if (source?.snapshot) return { snapshot: { snapshotId: source.snapshot }, volume: undefined };
  if (source?.volume) return { snapshot: undefined, volume: { volumeId: source.volume } };
  return undefined;
}
