import {
  AuthorizerValue,
  type PermissionCheck,
  type PermissionDecision,
} from "#/machinery/cel/library/values/authorizer-value.ts";

/** The user of recorded expressions, with the recorder's permissions. */
export const alice = new AuthorizerValue({ username: "alice", uid: "", groups: [] }, authorize);

/** Allows "get", fails on "error", and has the question in its reason. */
function authorize(question: PermissionCheck): PermissionDecision {
  const asked =
    "path" in question
      ? ["", "", "", "", "", question.path]
      : [
          question.group,
          question.resource,
          question.subresource ?? "",
          question.namespace ?? "",
          question.name ?? "",
          "",
        ];
  const { user, verb } = question;
  return {
    allowed: verb === "get",
    reason: [user.username, verb, ...asked].join("|"),
    ...(verb === "error" && { error: "fake error" }),
  };
}
