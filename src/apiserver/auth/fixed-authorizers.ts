import type { Authorizer, Decision } from "../model/authorizer.ts";

/**
 * Authorizers with fixed decisions.
 * Upstream: staging/src/k8s.io/apiserver/pkg/authorization/authorizerfactory/builtin.go.
 */

const allow: Decision = { decision: "allow", reason: "" };
const noOpinion: Decision = { decision: "no-opinion", reason: "" };

/** Allows every request. */
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

/** Allows no request, but leaves the decision to later authorizers. */
export const alwaysDeny: Authorizer = {
  name: "alwaysdeny",
  authorize: () => ({ decision: "no-opinion", reason: "Everything is forbidden." }),
  rulesFor: () => ({ rules: [], incomplete: false, errors: [] }),
};

/** Allows members of system:masters every request. */
export const privilegedGroup: Authorizer = {
  name: "kubernetes.io/system-privileged-group",
  authorize: ({ user }) => (user.groups.includes("system:masters") ? allow : noOpinion),
};
