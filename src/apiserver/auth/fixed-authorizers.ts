import type { Authorizer, Decision } from "../model/authorizer.ts";

/** Authorizers that look at little. Upstream: apiserver/pkg/authorization/authorizerfactory/builtin.go. */

const allow: Decision = { decision: "allow", reason: "" };
const noOpinion: Decision = { decision: "no-opinion", reason: "" };

/** Lets everybody do everything. */
export const alwaysAllow: Authorizer = {
  name: "alwaysallow",
  authorize: () => allow,
  rulesFor: () => ({
    rules: [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ],
    incomplete: false,
    errors: [],
  }),
};

/** Lets nobody do anything, unless another authorizer allows it. */
export const alwaysDeny: Authorizer = {
  name: "alwaysdeny",
  authorize: () => ({ decision: "no-opinion", reason: "Everything is forbidden." }),
  rulesFor: () => ({ rules: [], incomplete: false, errors: [] }),
};

/** Lets members of system:masters do everything. */
export const privilegedGroup: Authorizer = {
  name: "kubernetes.io/system-privileged-group",
  authorize: ({ user }) => (user.groups.includes("system:masters") ? allow : noOpinion),
};
