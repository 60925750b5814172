import {
  type Answer,
  AuthorizerValue,
  type Question,
} from "#/machinery/cel/library/values/authorizer-value.ts";

/** The user that recorded expressions ask for, with the permissions that the recorder gives. */
export const alice = new AuthorizerValue({ username: "alice", uid: "", groups: [] }, authorize);

/** Allows what is called "get", fails on "error" and says in its reason what it was asked. */
function authorize(question: Question): Answer {
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
