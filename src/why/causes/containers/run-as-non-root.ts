import { startCause } from "../../facts/start-failure.ts";

export const runAsNonRoot = startCause({
  name: "run-as-non-root",
  texts: /image will run as root|non-numeric user \(?([^)\s,]*)\)?|breaks non-root policy/i,
  explain: ({ container, text }) => {
    const why = /non-numeric/.test(text)
      ? "the image names its user by a word, so that the kubelet cannot verify it"
      : /breaks/.test(text)
        ? "runAsUser is 0"
        : "its image runs as root";
    return {
      sentence: `${container.label} has runAsNonRoot, but ${why}`,
      fix: ["# set securityContext.runAsUser to a number other than 0, or use an image with USER"],
    };
  },
});
