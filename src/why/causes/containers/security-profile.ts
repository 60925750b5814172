import { startCause } from "../../facts/start-failure.ts";

export const securityProfile = startCause({
  name: "security-profile",
  layer: "node",
  texts: /seccomp|apparmor|selinux/i,
  explain: ({ container, text }, match) => ({
    sentence: `${container.label} cannot start: its ${match[0].toLowerCase()} profile cannot be used on this node${/no such file/i.test(text) ? " (there is no such file)" : ""}`,
    fix: ["# install the profile on the node, or use type RuntimeDefault"],
  }),
});
