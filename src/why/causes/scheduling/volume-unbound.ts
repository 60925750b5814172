import { names, oneLine } from "../../base/text.ts";
import { claimNames } from "../../facts/claims.ts";
import { schedulingCause } from "../../facts/unschedulable.ts";

/** Above the claim's own cause, which says why it is not bound. */
export const volumeUnbound = schedulingCause({
  name: "volume-unbound",
  layer: "volumes",
  isSummary: true,
  texts:
    /unbound immediate PersistentVolumeClaims|didn't find available persistent volumes to bind|non-existent pv/,
  explain: ([text], pod) => ({
    sentence: /non-existent/.test(text)
      ? `its PersistentVolumeClaim ${names(claimNames(pod))} is bound to a PersistentVolume that exists no more`
      : /available persistent/.test(text)
        ? `no PersistentVolume on any node fits its PersistentVolumeClaim ${names(claimNames(pod))}, and none is provisioned`
        : `its PersistentVolumeClaim ${names(claimNames(pod))} is not bound to a volume`,
    fix: claimNames(pod)
      .slice(0, 2)
      .map((name) => `kubectl why pvc/${name}`),
  }),
});

export const claimMissing = schedulingCause({
  name: "claim-missing",
  layer: "volumes",
  texts: /persistentvolumeclaim "([^"]+)" (not found|is being deleted|.*)/,
  explain: ([, name, what = ""]) => ({
    sentence: `its PersistentVolumeClaim "${name}" ${what === "not found" ? "does not exist (not found)" : oneLine(what, 160)}`,
    fix: ["kubectl get persistentvolumeclaims", `# create the claim "${name}"`],
  }),
});
