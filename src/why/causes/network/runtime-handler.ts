import { sandboxCause } from "../../facts/sandbox-failure.ts";

export const runtimeHandler = sandboxCause({
  name: "runtime-class-handler",
  layer: "node",
  texts:
    /no runtime for "([^"]*)" is configured|failed to find runtime handler (\S+)|runtime handler "?([\w.-]+)"? not (?:supported|found)/,
  explain: ([, one, two, three], { spec }) => ({
    sentence: `the container runtime of node ${spec.nodeName} has no handler "${one ?? two ?? three}", which its RuntimeClass "${spec.runtimeClassName ?? ""}" asks for`,
    fix: [
      "kubectl get runtimeclasses",
      "# configure the handler in the node's runtime, or leave runtimeClassName out",
    ],
  }),
});
