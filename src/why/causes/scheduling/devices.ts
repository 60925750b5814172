import { oneLine } from "../../base/text.ts";
import { schedulingCause } from "../../facts/unschedulable.ts";

export const deviceClaims = schedulingCause({
  name: "device-claim",
  texts: /cannot allocate all claims|resource ?claim|device class (\S+) does not exist|DRA|device/i,
  explain: ([, missingClass], _pod, _view, { text }) => ({
    sentence: missingClass
      ? `its resource claim asks for the device class "${missingClass}", which does not exist`
      : `its resource claims (devices) cannot be met: ${oneLine(text, 160)}`,
    fix: ["kubectl get resourceclaims,deviceclasses,resourceslices"],
  }),
});
