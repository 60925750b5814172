import { startCause, startText } from "../../facts/start-failure.ts";

/** Of the group's causes the last: any other text. */
export const startFailed = startCause({
  name: "container-start-failed",
  texts: /(?:)/,
  explain: ({ container, reason, text }) => {
    const verb = reason.startsWith("Create") ? "created" : "started";
    return {
      sentence: `${container.label} cannot be ${verb} (${reason})${text ? `: ${startText(text)}` : ""}`,
    };
  },
});
