import type { Authenticator } from "../model/authenticator.ts";

/** Callers in the same process set their own identity; requests from outside can't set it. */
export const inProcess: Authenticator = {
  name: "in-process",
  authenticate: ({ peer }) => peer.user,
};
