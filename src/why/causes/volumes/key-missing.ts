import type { Pod } from "#/api/core/v1.ts";
import { mountCause, volumeText } from "../../facts/mount-failure.ts";

export const volumeKeyMissing = mountCause({
  name: "volume-key-missing",
  texts: /references non-existent (?:config|secret) key: ?(\S+)/,
  explain([text, key = ""], failure, pod) {
    const kind = text.includes("secret") ? "Secret" : "ConfigMap";
    const name = sourceWithKey(pod, failure.volume, key);
    return {
      sentence: `its volume${volumeText(failure)} takes the key "${key}" of ${name ? `the ${kind} "${name}"` : `a ${kind}`}, which has no such key`,
      fix: [
        ...(name ? [`kubectl describe ${kind.toLowerCase()} ${name}`] : []),
        "# correct items of the volume, or add the key",
      ],
    };
  },
});

/** The name of the ConfigMap or Secret of which a volume takes a key. */
function sourceWithKey({ spec }: Pod, volume: string, key: string): string | undefined {
  const { configMap, secret, projected } = spec.volumes?.find(({ name }) => name === volume) ?? {};
  const sources = (projected?.sources ?? []).flatMap((one) => [one.configMap, one.secret]);
  const all = [configMap, secret && { ...secret, name: secret.secretName }, ...sources];
  return all.find((one) => one?.items?.some((item) => item.key === key))?.name;
}
