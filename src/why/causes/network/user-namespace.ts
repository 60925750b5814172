import { sandboxCause } from "../../facts/sandbox-failure.ts";

export const userNamespace = sandboxCause({
  name: "user-namespace",
  layer: "node",
  texts: /user ?namespace|userns|idmap/i,
  explain: (_match, { spec }) => ({
    sentence: `node ${spec.nodeName} cannot give the Pod a user namespace (hostUsers: false)`,
    fix: ["# leave hostUsers out, or use a node whose kernel and runtime support it"],
  }),
});
