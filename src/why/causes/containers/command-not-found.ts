import { startCause } from "../../facts/start-failure.ts";

export const commandNotFound = startCause({
  name: "command-not-found",
  texts:
    /exec: "([^"]*)": (?:executable file not found|stat [^:]*: no such file|no such file)|exec:? "?([^\s":]+)"?: no such file|executable `?([^`\s]+)`? not found/i,
  explain: ({ container }, match) => ({
    sentence: `${container.label} cannot start: its command "${match[1] ?? match[2] ?? match[3]}" is not in the image (executable file not found)`,
    fix: ["# correct command and args of the container, or use an image that has the program"],
  }),
});
