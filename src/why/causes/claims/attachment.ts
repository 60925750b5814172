import { csiDrivers, type VolumeAttachment, volumeAttachments } from "#/api/storage/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";

export const attachmentFails = cause<VolumeAttachment>({
  name: "volume-attachment",
  layer: "volumes",
  of: [volumeAttachments],
  find({ spec, status, metadata }, view) {
    const error = metadata.deletionTimestamp ? status?.detachError : status?.attachError;
    if (!error && status?.attached) return undefined;
    const verb = metadata.deletionTimestamp ? "detach" : "attach";
    const none = view.isAbsent(csiDrivers, { name: spec.attacher });
    return {
      sentence: `${spec.attacher} has not ${verb}ed the volume ${spec.source.persistentVolumeName ?? ""} ${verb === "attach" ? "to" : "from"} node ${spec.nodeName}${error?.message ? `: ${oneLine(error.message, 200)}` : none ? ": no such CSI driver is installed" : ""}`,
      certainty: error || none ? "proven" : "likely",
      since: metadata.creationTimestamp,
    };
  },
});
