import { sandboxCause } from "../../facts/sandbox-failure.ts";

export const sandboxSysctl = sandboxCause({
  name: "sysctl",
  layer: "node",
  texts: /sysctl|\/proc\/sys\/([\w/.-]+)/,
  explain: (_match, { spec }) => ({
    sentence: `node ${spec.nodeName} cannot set a sysctl of the Pod (${(spec.securityContext?.sysctls ?? []).map(({ name }) => name).join(", ")})`,
    fix: ["# correct securityContext.sysctls"],
  }),
});
