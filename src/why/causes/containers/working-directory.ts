import { startCause } from "../../facts/start-failure.ts";

export const workingDirectory = startCause({
  name: "working-directory",
  texts: /chdir to cwd \("?([^")]*)"?\)|mkdir ([^:]+): (?:not a directory|file exists)/i,
  explain: ({ container }, match) => ({
    sentence: `${container.label} cannot start in its working directory "${match[1] ?? match[2]}": it is missing or may not be entered`,
    fix: ["# correct workingDir, or the user that it runs as"],
  }),
});
