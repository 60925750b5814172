import { csiDrivers } from "#/api/storage/v1.ts";
import { mountCause, volumeText } from "../../facts/mount-failure.ts";

export const attacherSilent = mountCause({
  name: "csi-attacher-silent",
  texts: /timed out waiting for external-attacher of (\S+) CSI driver/,
  explain([, driver = ""], failure, _pod, view) {
    const none = view.isAbsent(csiDrivers, { name: driver });
    return {
      sentence: `the CSI driver "${driver}" has not attached its volume${volumeText(failure)}: ${none ? "no such driver is installed" : "its external-attacher does not run, or fails"}`,
      fix: ["kubectl get csidrivers", "kubectl get volumeattachments"],
    };
  },
});
