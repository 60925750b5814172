import { crashCause, restartsPart } from "../../facts/crash.ts";

export const commandNotFoundInside = crashCause({
  name: "command-not-found-in-shell",
  applies: ({ exitCode }) => exitCode === 127 || exitCode === 126,
  explain: (crash) => ({
    sentence: `${crash.container.label} runs a command that ${crash.exitCode === 127 ? "is not in its image" : "is not executable"} (exit code ${crash.exitCode}${restartsPart(crash)})`,
    fix: ["# compare command and args with what the image has"],
  }),
});
