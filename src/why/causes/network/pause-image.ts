import { sandboxCause } from "../../facts/sandbox-failure.ts";

export const pauseImage = sandboxCause({
  name: "pause-image",
  layer: "image",
  texts: /failed to (?:get|pull) (?:sandbox|pause|infra) image "?([^"\s:]+[^"\s]*)"?/,
  explain: ([, image], { spec }) => ({
    sentence: `node ${spec.nodeName} cannot pull the pause image "${image}", which every Pod needs`,
    fix: ["k8ts logs kubelet"],
  }),
});
