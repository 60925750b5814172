import { mountCause, volumeText } from "../../facts/mount-failure.ts";

export const multiAttach = mountCause({
  name: "volume-attached-elsewhere",
  texts:
    /Multi-Attach error.*?(?:already used by pod\(s\) (.+)|exclusively attached to one node|$)/s,
  explain: ([, users], failure) => ({
    sentence: `its volume${volumeText(failure)} is attached to another node, and may be attached to one only (Multi-Attach)${users ? `: pod ${users.trim()} uses it` : ""}`,
    fix: [
      "kubectl get volumeattachments",
      "# end the Pod on the other node, or wait until it is detached",
    ],
  }),
});
