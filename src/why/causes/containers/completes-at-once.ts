import { crashCause, restartsText } from "../../facts/crash.ts";

export const completesAtOnce = crashCause({
  name: "container-completes",
  applies: ({ exitCode, container }, { spec }) =>
    exitCode === 0 && (container.role === "sidecar" || spec.restartPolicy === "Always"),
  explain: (crash) => ({
    sentence: `${crash.container.label} ends by itself without an error (exit code 0), and is started again each time${restartsText(crash)}: its command does not go on running`,
    fix: ["# give it a command that keeps running, or use a Job for work that ends"],
  }),
});
