import { startCause } from "../../facts/start-failure.ts";

export const configMapMissing = startCause({
  name: "configmap-missing",
  texts: /configmaps? "([^"]+)" (?:is )?not found/i,
  explain: ({ container }, match) => ({
    sentence: `${container.label} takes its environment from the ConfigMap "${match[1]}", which does not exist`,
    fix: [
      `kubectl create configmap ${match[1]} --from-literal=KEY=VALUE`,
      "# or mark the reference as optional",
    ],
  }),
});
