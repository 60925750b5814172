import { startCause } from "../../facts/start-failure.ts";

export const subPath = startCause({
  name: "sub-path",
  layer: "volumes",
  texts: /failed to (?:create|prepare) subPath (?:directory )?for volumeMount "([^"]+)"|subPath/i,
  explain: ({ container }, match) => ({
    sentence: `${container.label} cannot start: the subPath of its volume mount${match[1] ? ` "${match[1]}"` : ""} cannot be used`,
    fix: ["# subPath must be a relative path within the volume that exists or can be created"],
  }),
});
