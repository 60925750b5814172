import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { attachmentName } from "#/machinery/volumes/csi-volume.ts";
import type { DesiredVolume } from "./desired-volume.ts";

/** The data that a later kubelet needs to unpublish a volume; upstream's file. */
export interface VolumeData {
  readonly driverName: string;
  readonly volumeHandle: string;
  readonly volumeLifecycleMode: string;
  readonly specVolID: string;
  readonly nodeName: string;
  readonly attachmentID: string;
}

const dataFile = "vol_data.json";

/** The stored data of a volume. */
export function dataOf(desired: DesiredVolume, nodeName: string): VolumeData {
  return {
    driverName: desired.driver,
    volumeHandle: desired.handle,
    volumeLifecycleMode: desired.ephemeral ? "Ephemeral" : "Persistent",
    specVolID: desired.specName,
    nodeName,
    attachmentID: desired.ephemeral ? "" : attachmentName(desired, nodeName),
  };
}

/** Writes the file beside the volume, whole or not at all. */
export async function saveData(directory: string, data: VolumeData): Promise<void> {
  const path = join(directory, dataFile);
  await writeFile(`${path}.new`, `${JSON.stringify(data)}\n`);
  await rename(`${path}.new`, path);
}

export async function removeData(directory: string): Promise<void> {
  await rm(join(directory, dataFile), { force: true });
}

/** Reads the file; undefined if there is none. */
export async function loadData(directory: string): Promise<VolumeData | undefined> {
  try {
    return JSON.parse(await readFile(join(directory, dataFile), "utf8"));
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}
