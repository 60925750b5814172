import { startCause } from "../../facts/start-failure.ts";

export const userUnknown = startCause({
  name: "user-unknown",
  texts: /unable to find (user|group) ([^:\s]+)/i,
  explain: ({ container }, match) => ({
    sentence: `${container.label} cannot start: its image has no ${match[1]} "${match[2]}"`,
    fix: ["# set securityContext.runAsUser and runAsGroup to numbers"],
  }),
});
