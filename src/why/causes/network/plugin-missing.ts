import { sandboxCause } from "../../facts/sandbox-failure.ts";

export const cniPluginMissing = sandboxCause({
  name: "cni-plugin-missing",
  layer: "network",
  texts: /failed to find plugin "([^"]+)" in path (\[[^\]]*\])/,
  explain: ([, plugin, path], { spec }) => ({
    sentence: `the CNI plugin "${plugin}" is not installed on node ${spec.nodeName} (in ${path})`,
    fix: ["# install the containernetworking-plugins on the node"],
  }),
});
