import { type PersistentVolumeClaim, persistentVolumeClaims } from "#/api/core/v1.ts";
import { csiDrivers, storageClasses } from "#/api/storage/v1.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { claimClass } from "#/machinery/volumes/volume-claims.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";
import { conditionLine } from "../../facts/conditions.ts";
import { eventLine } from "../../facts/pod-events.ts";

const failures = ["VolumeResizeFailed", "FileSystemResizeFailed", "ExternalExpanding"];

export const claimResize = cause<PersistentVolumeClaim>({
  name: "claim-resize",
  layer: "volumes",
  of: [persistentVolumeClaims],
  find(claim, view) {
    const { spec, status } = claim;
    const wanted = spec?.resources?.requests?.["storage"];
    const has = status?.capacity?.["storage"];
    if (status?.phase !== "Bound" || !wanted || !has) return undefined;
    if (parseQuantity(wanted).compare(parseQuantity(has)) <= 0) return undefined;
    const found = view.get(storageClasses, { name: claimClass(claim) });
    const event = view
      .events(persistentVolumeClaims, claim)
      .find(({ reason }) => failures.includes(reason));
    const none = found !== undefined && view.isAbsent(csiDrivers, { name: found.provisioner });
    const pending = (status.conditions ?? []).find(
      ({ type }) => type === "FileSystemResizePending",
    );
    const why = pending
      ? "the node enlarges its file system once a Pod that uses it is started again"
      : event && !none
        ? oneLine(event.message, 180)
        : found && !found.allowVolumeExpansion
          ? `its StorageClass "${found.metadata.name}" does not allow it`
          : none
            ? `no CSI driver "${found?.provisioner}" is installed that could do it`
            : "nothing has enlarged it yet";
    return {
      sentence: `it has ${has}, and is to be resized to ${wanted}: ${why}`,
      certainty: pending || event ? "proven" : "likely",
      evidence: [
        ...(event ? [eventLine(event, view.nowMs)] : []),
        ...(status.conditions ?? []).map((one) => conditionLine(one, view.nowMs)),
      ],
      fix: [`kubectl get storageclass ${claimClass(claim)} -o yaml`, "kubectl get csidrivers"],
    };
  },
});
