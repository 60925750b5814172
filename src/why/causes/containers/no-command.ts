import { startCause } from "../../facts/start-failure.ts";

export const noCommand = startCause({
  name: "no-command",
  texts: /no command specified|no entrypoint|args\[0\] is empty|process\.args/i,
  explain: ({ container }) => ({
    sentence: `${container.label} cannot start: neither its image nor its spec names a command`,
    fix: ["# set command of the container"],
  }),
});
