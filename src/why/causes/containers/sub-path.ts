import { startCause } from "../../facts/start-failure.ts";

export const subPath = startCause({
  name: "sub-path",
  layer: "volumes",
  texts:
    /failed to (?:create|prepare) subPath (?:directory )?for volumeMount "([^"]+)"|subPath|missing value for "?(\w+)/,
  explain: ({ container }, [, mount, variable]) => ({
    sentence: variable
      ? `${container.label} cannot start: the subPathExpr of a volume mount needs the variable "${variable}", which its environment lacks`
      : `${container.label} cannot start: the subPath of its volume mount${mount ? ` "${mount}"` : ""} cannot be used`,
    fix: ["# subPath must be a relative path within the volume that exists or can be created"],
  }),
});
