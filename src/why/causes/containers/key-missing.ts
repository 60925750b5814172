import { startCause } from "../../facts/start-failure.ts";

export const keyMissing = startCause({
  name: "configuration-key-missing",
  texts: /couldn't find key (\S+) in (ConfigMap|Secret) ([^/\s]+)\/(\S+)/,
  explain: ({ container }, match) => {
    const [, key, kind, , name] = match;
    return {
      sentence: `${container.label} takes its environment from the key "${key}" of the ${kind} "${name}", which has no such key`,
      fix: [`kubectl describe ${kind?.toLowerCase()} ${name}`],
    };
  },
});
