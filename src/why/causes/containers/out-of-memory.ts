import { crashCause, restartsPart } from "../../facts/crash.ts";

export const outOfMemory = crashCause({
  name: "out-of-memory",
  applies: ({ reason }) => reason === "OOMKilled",
  explain: (crash) => {
    const { container } = crash;
    const limit = container.spec.resources?.limits?.["memory"];
    const what = limit ? `its memory limit of ${limit}` : "the memory that the node has left";
    return {
      sentence: `${container.label} needs more than ${what} and is killed: out of memory (OOMKilled${restartsPart(crash)})`,
      fix: [
        `# raise resources.limits.memory${limit ? ` above ${limit}` : ""}, or make the program use less`,
      ],
    };
  },
});
