import { inNamespace } from "../../base/any-object.ts";
import { startCause } from "../../facts/start-failure.ts";

export const keyMissing = startCause({
  name: "configuration-key-missing",
  texts: /couldn't find key (\S+) in (ConfigMap|Secret) ([^/\s]+)\/(\S+)/,
  explain: ({ container }, match, { metadata }) => {
    const [, key, kind, , name] = match;
    return {
      sentence: `${container.label} takes its environment from the key "${key}" of the ${kind} "${name}", which has no such key`,
      fix: [
        `kubectl ${inNamespace({ namespace: metadata.namespace ?? "" })}describe ${kind?.toLowerCase()} ${name}`,
      ],
    };
  },
});
