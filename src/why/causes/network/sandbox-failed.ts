import { oneLine } from "../../base/text.ts";
import { sandboxCause } from "../../facts/sandbox-failure.ts";

/** Of the group's causes the last: any other text. */
export const sandboxFailed = sandboxCause({
  name: "sandbox-failed",
  layer: "network",
  texts: /(?:)/,
  explain: (_match, { spec }, _view, { message }) => {
    const said = message
      .replace(/^Failed to create pod sandbox: /, "")
      .replace(/^rpc error: code = \w+ desc = /, "")
      .replace(/sandbox "[0-9a-f]{16,}"/g, "sandbox");
    const isNetwork = /network|cni|plugin|netns|bridge|veth/i.test(said);
    return {
      layer: isNetwork ? "network" : "node",
      sentence: `node ${spec.nodeName} cannot create the Pod's sandbox${isNetwork ? " (CNI)" : ""}: ${oneLine(said, 200)}`,
      fix: ["k8ts logs kubelet", `kubectl describe node ${spec.nodeName}`],
    };
  },
});
