/** Which optional parts the record of a write has. */
export const parts = { commit: 1, queue: 2, error: 4 };

/** The texts of a write, in the order in which they are written; each is a number, and absent if that is 0. */
export const textNames = [
  "verb",
  "subresource",
  "user",
  "groups",
  "impersonator",
  "authenticator",
  "reason",
  "agent",
  "command",
  "traceparent",
  "manager",
] as const;

/** Between the parts of a text that is a list. */
export const separator = "\n";
