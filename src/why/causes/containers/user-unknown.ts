import { startCause } from "../../facts/start-failure.ts";

export const userUnknown = startCause({
  name: "user-unknown",
  texts:
    /unable to find (user|group) ([^:\s]+)|\/etc\/(passwd|group)(?::|\S*) no such file|no (user|group)s found/i,
  explain: ({ container }, [, kind, name, file, other]) => ({
    sentence: `${container.label} cannot start: its image ${file ? `names its user, but has no /etc/${file}` : name ? `has no ${kind} "${name}"` : `lacks the ${other} that it names`}`,
    fix: ["# set securityContext.runAsUser and runAsGroup to numbers"],
  }),
});
