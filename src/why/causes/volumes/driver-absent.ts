import { mountCause, volumeText } from "../../facts/mount-failure.ts";

export const csiDriverAbsent = mountCause({
  name: "csi-driver-absent",
  texts:
    /driver name (\S+) not found in the list of registered CSI drivers|CSINode \S+ does not contain driver (\S+)/,
  explain: ([, driver, other], failure, { spec }) => ({
    sentence: `the driver${driver || other ? ` "${driver ?? other}"` : ""} of its volume${volumeText(failure)} does not run on node ${spec.nodeName} (CSI driver not registered)`,
    fix: [`kubectl get csinode ${spec.nodeName} -o yaml`, "kubectl get csidrivers"],
  }),
});
