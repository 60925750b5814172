/** Upstream: pkg/controller/volume/attachdetach/statusupdater/node_status_updater.go. */
import { nodes } from "#/api/core/v1.ts";
import type { VolumeAttachment } from "#/api/storage/v1.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { csiVolumeName } from "#/machinery/volumes/csi-volume.ts";
import { attachedVolume, attachmentsOn } from "./attachment-indexes.ts";

const isCsi = (name: string): boolean => name.startsWith("kubernetes.io/csi/");

/**
 * Writes the attached volumes of a node to its status, except for some attachments; returns the
 * added names.
 */
export async function setAttached(
  name: string,
  except: ReadonlySet<VolumeAttachment>,
  { client, informers }: Pick<ControllerContext, "client" | "informers">,
): Promise<string[]> {
  const node = informers.informer(nodes).store.get("", name);
  if (!node) return [];
  const now = node.status?.volumesAttached ?? [];
  const attached = attachmentsOn(name, informers)
    .filter((one) => one.status?.attached && !one.metadata.deletionTimestamp && !except.has(one))
    .flatMap((one) => attachedVolume(one, informers) ?? [])
    .map(csiVolumeName)
    .sort();
  const known = now.map((one) => one.name);
  if (deepEqual(known.filter(isCsi).sort(), attached)) return [];
  const volumesAttached = [
    ...now.filter((one) => !isCsi(one.name)),
    ...attached.map((one) => ({ name: one, devicePath: "" })),
  ];
  await client.patchStatus(nodes, { name }, { status: { volumesAttached } }).catch(ignoreNotFound);
  return attached.filter((one) => !known.includes(one));
}
