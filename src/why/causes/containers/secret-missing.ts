import { startCause } from "../../facts/start-failure.ts";

export const secretMissing = startCause({
  name: "secret-missing",
  texts: /secrets? "([^"]+)" (?:is )?not found/i,
  explain: ({ container }, match) => ({
    sentence: `${container.label} takes its environment from the Secret "${match[1]}", which does not exist`,
    fix: [
      `kubectl create secret generic ${match[1]} --from-literal=KEY=…`,
      "# or mark the reference as optional",
    ],
  }),
});
