import { schedulingCause } from "../../facts/unschedulable.ts";

export const volumeLimits = schedulingCause({
  name: "too-many-volumes",
  layer: "volumes",
  texts:
    /exceed max volume count|did not have enough free storage|no available disk|CSI driver is not installed/,
  explain: ([text]) => ({
    sentence: text.startsWith("exceed")
      ? "no node may attach another volume of its kind (the driver's limit is reached)"
      : text.startsWith("did not")
        ? "no node has enough storage for its volume (capacity of the StorageClass)"
        : text.startsWith("CSI")
          ? "the CSI driver of its volume is not installed on any node that would take the Pod"
          : "a disk that it mounts is in use by another Pod on the node",
    fix: ["kubectl get csinodes,csistoragecapacities -A"],
  }),
});
