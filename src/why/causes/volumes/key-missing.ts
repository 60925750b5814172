import { mountCause, volumeText } from "../../facts/mount-failure.ts";

export const volumeKeyMissing = mountCause({
  name: "volume-key-missing",
  texts: /references non-existent (?:config|secret) key: ?(\S+)/,
  explain: ([text, key], failure) => ({
    sentence: `its volume${volumeText(failure)} takes the key "${key}" of a ${text.includes("secret") ? "Secret" : "ConfigMap"} that has no such key`,
    fix: ["# correct items of the volume, or add the key"],
  }),
});
