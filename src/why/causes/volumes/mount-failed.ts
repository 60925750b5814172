import { mountCause, mountText, volumeText } from "../../facts/mount-failure.ts";

/** Of the group's causes the last: any other text. */
export const mountFailed = mountCause({
  name: "volume-mount-failed",
  texts: /(?:)/,
  explain: (_match, failure) => ({
    sentence: /timed out waiting|unmounted volumes/.test(failure.text)
      ? `the node waits for its volume${volumeText(failure)}, which is not attached or mounted in time`
      : `the node cannot attach or mount its volume${volumeText(failure)}: ${mountText(failure)}`,
    fix: ["kubectl get volumeattachments,persistentvolumeclaims", "k8ts logs kubelet"],
  }),
});
